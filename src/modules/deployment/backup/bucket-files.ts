import { assertBucket } from "./own-backups.ts";
import { backupBucketOf } from "#platform/backup/scheduled/r2-bucket.ts";
import { AppError } from "#platform/errors.ts";

/** The keys of files of backups. All else in the bucket is none of them. */
const BACKUP_FILE = /^(?:files|ledgers|snapshots)\//;

/** A page of the files in the deployment's bucket, and the cursor of the next page. Throws `VALIDATION` where there is no bucket. */
export async function listBackupFiles(env: Env, cursor: string | undefined) {
  const page = await bucketOf(env).list("", { isFolder: false, cursor });
  const files = page.files
    .filter(({ key }) => BACKUP_FILE.test(key))
    .map(({ key, bytes }) => ({ key, bytes }));
  return page.cursor === undefined ? { files } : { files, next: page.cursor };
}

/** The bytes of a file, piece by piece. Throws `NOT_FOUND` for an unknown one, and `VALIDATION` where there is no bucket. */
export async function readBackupFile(env: Env, key: string): Promise<AsyncIterable<Uint8Array>> {
  const stream = BACKUP_FILE.test(key) ? await bucketOf(env).stream(key) : undefined;
  if (stream === undefined) throw new AppError("NOT_FOUND", `the bucket has no file '${key}'`);
  return stream;
}

function bucketOf(env: Env) {
  assertBucket(env);
  const bucket = backupBucketOf(env, () => undefined);
  if (bucket === undefined) throw new Error("a bucket that is bound is there");
  return bucket;
}
