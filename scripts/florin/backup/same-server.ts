import { join } from "node:path";
import type { BackupFolder } from "./backup-folder.ts";
import { readBackupManifest } from "./backup-manifest.ts";
import { hashOfParts } from "./ledgers/ledger-parts.ts";
import { linesOf } from "./saved-lines.ts";
import { ledgersWithParts } from "#platform/backup/saving/backup-manifest.ts";
import { KEY_TABLE } from "#platform/backup/saving/catalogue-rows.ts";
import type { DatabaseManifest } from "#platform/backup/saving/manifest.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** The first line of the table that only the last snapshot has; undefined if the new database has all. */
async function firstLost(last: string, database: string, { tables }: DatabaseManifest) {
  const file = tables.find(({ name }) => name === KEY_TABLE)?.file;
  if (file === undefined) return undefined;
  const rows = new Set(await Array.fromAsync(linesOf(join(database, file))));
  for await (const line of linesOf(join(last, "database", file))) {
    if (!rows.has(line)) return line;
  }
  return undefined;
}

/** Throws `OperatorError` where the database in a folder, which was just saved, is not that of the server of the last snapshot. */
export async function assertSameServer(
  folder: BackupFolder,
  database: string,
  manifest: DatabaseManifest,
): Promise<void> {
  const last = folder.snapshots().at(-1);
  if (last === undefined) return;
  if ((await firstLost(folder.snapshot(last), database, manifest)) === undefined) return;
  throw new OperatorError(
    `The snapshot ${last} was made of another server, or of this one before it was made anew: the table ${KEY_TABLE} had rows that it lacks now. Save it into another folder.`,
  );
}

/** Throws `OperatorError` where a list of parts is not the one that a kept snapshot relies on: nothing may be added to it. */
export function assertPartsKept(folder: BackupFolder): void {
  for (const snapshot of folder.snapshots()) {
    const manifest = readBackupManifest(folder.snapshot(snapshot));
    for (const { uuid, name, parts, partsSha256 } of ledgersWithParts(manifest)) {
      if (hashOfParts(folder.ledger(uuid), parts) === partsSha256) continue;
      throw new OperatorError(
        `The list of parts of the ledger '${name}' in ${folder.ledger(uuid)} is another one than the snapshot ${snapshot} says: it was changed or lost. Save the server into another folder.`,
      );
    }
  }
}
