import { z } from "zod";
import type { BackupBucket } from "./bucket.ts";
import { RunFailure } from "./run-failure.ts";
import { newId } from "#platform/ids.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/** The file that says whose backups a bucket has. It is put once, and never changed. */
const OWNER = "owner.json";

const BucketClaim = z.object({
  /** The deployment's object that keeps backups. */
  owner: z.string(),
  /** The id of the claim: of the buckets of one owner, each has another one. */
  claim: z.string(),
});
type BucketClaim = z.output<typeof BucketClaim>;

/**
 * Makes sure that a bucket is its deployment's, and claims one that is nobody's. Of two deployments that claim it at once, one gets it. Returns the
 * id of the claim, by which `assertClaim` knows the bucket. Throws `RunFailure` for a bucket of another one: two that write into one bucket would
 * lengthen each other's logs, and remove each other's snapshots.
 */
export async function claimBucket(bucket: BackupBucket, owner: string): Promise<string> {
  const before = await claimOf(bucket);
  if (before === undefined)
    await bucket.putIf(
      OWNER,
      stringifyJson({ owner, claim: newId() } satisfies BucketClaim),
      undefined,
    );
  const found = before ?? (await claimOf(bucket));
  if (found?.owner === owner) return found.claim;
  throw new RunFailure(
    `The bucket has the backups of another deployment, or of this one before it was made anew: ${OWNER} names another owner. Bind another bucket.`,
  );
}

/**
 * Throws `RunFailure` unless the bucket is still the one that has a claim: a snapshot is whole only in the bucket that has its parts, and what is
 * older may be removed only from the run's own.
 */
export async function assertClaim(bucket: BackupBucket, claim: string | undefined): Promise<void> {
  const found = await claimOf(bucket);
  if (found !== undefined && found.claim === claim) return;
  throw new RunFailure(
    `The bucket is another one than when the run began, or lacks ${OWNER}: the next run begins anew.`,
    { isPassing: true },
  );
}

async function claimOf(bucket: BackupBucket): Promise<BucketClaim | undefined> {
  const found = await bucket.get(OWNER);
  if (found === undefined) return undefined;
  try {
    return BucketClaim.parse(parseJson(new TextDecoder().decode(found.bytes)));
  } catch (cause) {
    throw new RunFailure(
      `${OWNER} of the bucket does not say whose backups it has: it was changed. Bind another bucket.`,
      { cause },
    );
  }
}
