import { z } from "zod";
import type { BackupBucket } from "./bucket.ts";
import { RunFailure } from "./run-failure.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/** The file that says whose backups a bucket has. It is put once, and never changed. */
const OWNER = "owner.json";

const Owner = z.object({ owner: z.string() });

/**
 * Makes sure that a bucket is its deployment's, and claims one that is nobody's. Of two deployments that claim it at once, one gets it. Throws
 * `RunFailure` for a bucket of another one: two that write into one bucket would lengthen each other's logs, and remove each other's snapshots.
 */
export async function claimBucket(bucket: BackupBucket, owner: string): Promise<void> {
  if ((await ownerOf(bucket)) === owner) return;
  await bucket.putIf(OWNER, stringifyJson({ owner }), undefined);
  if ((await ownerOf(bucket)) === owner) return;
  throw new RunFailure(
    `The bucket has the backups of another deployment, or of this one before it was made anew: ${OWNER} names another owner. Bind another bucket.`,
  );
}

/** Throws `RunFailure` unless the bucket is still the one of `claimBucket`: a snapshot is whole only in the bucket that has its parts. */
export async function assertOwner(bucket: BackupBucket, owner: string): Promise<void> {
  if ((await ownerOf(bucket)) === owner) return;
  throw new RunFailure(
    `The bucket is another one than when the run began, or lacks ${OWNER}: the next run begins anew.`,
    { isPassing: true },
  );
}

async function ownerOf(bucket: BackupBucket): Promise<string | undefined> {
  const found = await bucket.get(OWNER);
  if (found === undefined) return undefined;
  return Owner.parse(parseJson(new TextDecoder().decode(found.bytes))).owner;
}
