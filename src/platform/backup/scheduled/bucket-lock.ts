import { z } from "zod";
import type { BackupBucket } from "./bucket.ts";
import { OperatorError } from "#platform/errors.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/** The file that says who writes into the bucket. */
const LOCK = "lock.json";
/** How long a lock holds after it was renewed, in milliseconds, and when it is renewed. */
const HELD_MS = 900_000;
const RENEWED_MS = 240_000;

const Lock = z.object({ owner: z.string(), untilMs: z.int() });

/** The lock of a run: its ETag, and when it was renewed last, in milliseconds since the epoch. */
export interface HeldLock {
  readonly etag: string;
  readonly renewedMs: number;
}

/** The error of a run whose bucket another deployment writes into. */
export class BucketTakenError extends OperatorError {
  override name = "BucketTakenError";

  constructor() {
    super(
      "Another deployment writes its backups into this bucket. Give each deployment a bucket of its own.",
    );
  }
}

/** Takes the bucket for an owner, or renews what it holds when it is time to. Throws `BucketTakenError` while another one holds it. */
export async function holdBucket(
  bucket: BackupBucket,
  { owner, held, nowMs }: { owner: string; held: HeldLock | undefined; nowMs: number },
): Promise<HeldLock> {
  if (held !== undefined && Math.abs(nowMs - held.renewedMs) < RENEWED_MS) return held;
  const found = await bucket.get(LOCK);
  const lock = found === undefined ? undefined : read(found.bytes);
  // A lock that is held for longer than any is was taken by a clock that was ahead.
  const leftMs = lock === undefined ? 0 : lock.untilMs - nowMs;
  const isOthers = lock?.owner !== owner && leftMs > 0 && leftMs <= HELD_MS;
  if (isOthers) throw new BucketTakenError();
  const text = stringifyJson({ owner, untilMs: nowMs + HELD_MS });
  const etag = await bucket.putIf(LOCK, text, found?.etag);
  if (etag === undefined) throw new BucketTakenError();
  return { etag, renewedMs: nowMs };
}

/** Lets others have the bucket. */
export async function freeBucket(bucket: BackupBucket, { etag }: HeldLock): Promise<void> {
  await bucket.putIf(LOCK, stringifyJson({ owner: "", untilMs: 0 }), etag);
}

function read(bytes: Uint8Array): z.output<typeof Lock> | undefined {
  const parsed = Lock.safeParse(parseJson(new TextDecoder().decode(bytes)));
  return parsed.success ? parsed.data : undefined; // What is no lock holds nobody off.
}
