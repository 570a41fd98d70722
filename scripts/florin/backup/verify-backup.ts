import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BackupFolder } from "./backup-folder.ts";
import { type BackupManifest, readBackupManifest } from "./backup-manifest.ts";
import { problemOf } from "./file-hash.ts";
import { verifyLedger } from "./ledgers/verify-ledger.ts";
import { readCatalogue } from "./saved-catalogue.ts";
import { problemOfClass } from "./saved-objects.ts";
import { verifyDatabase } from "./verify-database.ts";
import { WrappedKeys } from "./wrapped-keys.ts";

/** What is wrong with a snapshot of a backup, a sentence each. */
interface CheckedBackup {
  readonly manifest: BackupManifest;
  readonly problems: readonly string[];
}

/** Checks a snapshot: all its files, each log by replaying it, and that the database and the logs have the same ledgers. */
export async function verifyBackup(
  folder: BackupFolder,
  { snapshot, note }: { readonly snapshot: string; readonly note: (line: string) => void },
): Promise<CheckedBackup> {
  const path = folder.snapshot(snapshot);
  const manifest = readBackupManifest(path);
  const problems = await problemsOfSnapshot(path, manifest);
  let replayed = 0;
  for (const ledger of manifest.ledgers) {
    problems.push(...(await verifyLedger(folder.ledger(ledger.uuid), ledger)));
    replayed += ledger.entries;
    note(`  ${replayed} entries replayed, ${ledger.name}`);
  }
  return { manifest, problems };
}

async function problemsOfSnapshot(path: string, manifest: BackupManifest): Promise<string[]> {
  const problems: string[] = [];
  for (const file of [manifest.database, manifest.keys]) {
    const problem = file === null ? undefined : await problemOf(join(path, file.file), file);
    if (problem !== undefined) problems.push(problem);
  }
  if (problems.length > 0) return problems;
  if (manifest.keys !== null) {
    const text = readFileSync(join(path, manifest.keys.file), "utf8");
    if (!WrappedKeys.safeParse(JSON.parse(text)).success)
      problems.push(`${manifest.keys.file} has no wrapped keys.`);
  }
  for (const saved of manifest.objects) {
    const problem = await problemOfClass(join(path, "objects"), saved);
    if (problem !== undefined) problems.push(problem);
  }
  const folder = join(path, "database");
  const database = await verifyDatabase(folder);
  if (database.problems.length > 0) return [...problems, ...database.problems];
  return [...problems, ...(await problemsOfCatalogue(folder, database.manifest, manifest))];
}

/** The ledgers that only the database or only the manifest has. */
async function problemsOfCatalogue(
  folder: string,
  database: Parameters<typeof readCatalogue>[1],
  { ledgers, purged }: BackupManifest,
): Promise<string[]> {
  const catalogue = await readCatalogue(folder, database);
  const saved = new Set([...ledgers.map(({ uuid }) => uuid), ...purged]);
  const wanted = catalogue.filter(({ isPurging }) => !isPurging);
  const known = new Set(wanted.map(({ uuid }) => uuid));
  return [
    ...wanted
      .filter(({ uuid }) => !saved.has(uuid))
      .map(({ name }) => `The log of the ledger '${name}' is missing.`),
    ...ledgers
      .filter(({ uuid }) => !known.has(uuid))
      .map(({ name }) => `The database does not know the ledger '${name}'.`),
  ];
}
