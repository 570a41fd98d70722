import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

/** The bucket of the deployment's own backups. */
export const backupBucket = (env as unknown as { readonly FLORIN_BACKUPS: R2Bucket })
  .FLORIN_BACKUPS;

/** The object that makes them, by a new stub: files of tests share this module, and each of them begins with the deletion of all objects, which breaks the stubs that there are. */
export const backupKeeper = () => env.BACKUPS.getByName("backups");

/** Ends the run that is under way. */
export const endRun = (): Promise<void> =>
  runInDurableObject(backupKeeper(), async (_object, { storage }) => {
    await storage.deleteAlarm();
    storage.kv.delete("run");
  });

/** Stores a manifest in the bucket, and ends the run that is under way. */
export async function storeBucketFile(): Promise<void> {
  await endRun();
  for (const { key } of (await backupBucket.list()).objects) await backupBucket.delete(key);
  const key = "snapshots/000001-2026-11-28T03-00-00.000Z/manifest.json";
  await backupBucket.put(key, '{"format":1}\n');
}
