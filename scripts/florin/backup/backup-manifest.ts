import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BackupManifest } from "#platform/backup/saving/backup-manifest.ts";
import { MANIFEST } from "#platform/backup/saving/manifest.ts";
import { parseJson } from "#platform/json.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** The manifest of a snapshot. Throws `OperatorError` for a folder without one. */
export function readBackupManifest(folder: string): BackupManifest {
  const path = join(folder, MANIFEST);
  if (!existsSync(path))
    throw new OperatorError(`${folder} has no ${MANIFEST}: it is no complete backup.`);
  try {
    return BackupManifest.parse(parseJson(readFileSync(path, "utf8")));
  } catch (cause) {
    throw new OperatorError(`${path} does not describe a backup of this format.`, { cause });
  }
}
