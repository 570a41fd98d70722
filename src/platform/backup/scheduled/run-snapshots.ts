import type { BackupBucket } from "./bucket.ts";
import { SNAPSHOTS, snapshotsAmong } from "#platform/backup/saving/file-names.ts";
import { MANIFEST } from "#platform/backup/saving/manifest.ts";

/** The names of the snapshots of a bucket, in the order in which they were made: those with a manifest, and those without one. */
export async function snapshotsIn(
  bucket: BackupBucket,
): Promise<{ readonly complete: readonly string[]; readonly incomplete: readonly string[] }> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await bucket.list(`${SNAPSHOTS}/`, { isFolder: true, cursor });
    names.push(...page.folders.map((folder) => folder.slice(SNAPSHOTS.length + 1, -1)));
    cursor = page.cursor;
  } while (cursor !== undefined);
  const complete: string[] = [];
  const incomplete: string[] = [];
  for (const name of snapshotsAmong(names)) {
    const manifest = await bucket.head(`${SNAPSHOTS}/${name}/${MANIFEST}`);
    (manifest === undefined ? incomplete : complete).push(name);
  }
  return { complete, incomplete };
}
