import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";
import { inProject } from "#scripts/lib/project.ts";

/** The passphrase that opens the keys of the backup below. */
export const RELEASED_PASSPHRASE = "yesterday is a passphrase";

/**
 * A backup of format 1 as the command first wrote it, in a folder of its own: two snapshots of a server with the ledgers `shop`, `plain`, which
 * keeps no hashes, and `empty`, and with one webhook. The second run has added a part to `shop`.
 */
export function releasedBackup(): BackupFolder {
  const folder = mkdtempSync(join(tmpdir(), "florin-released-backup-"));
  const archive = inProject("test/support/platform/backup/released-format-1.tar.gz");
  execFileSync("tar", ["-xzf", archive, "-C", folder]);
  return new BackupFolder(folder);
}
