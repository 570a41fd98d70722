import { isDeepStrictEqual } from "node:util";
import type { BackupManifest, SnapshotLedger } from "#platform/backup/saving/backup-manifest.ts";
import type { CatalogueRow } from "#platform/backup/saving/catalogue-rows.ts";

/** Where the ledgers of a manifest differ from those of the saved database, a sentence each. */
export function problemsOfCatalogue(
  catalogue: readonly CatalogueRow[],
  { ledgers, failed = [], purged }: BackupManifest,
): string[] {
  const named = new Set([...[...ledgers, ...failed].map(({ uuid }) => uuid), ...purged]);
  const wanted = catalogue.filter(({ isPurging }) => !isPurging);
  const rows = new Map(wanted.map((row) => [row.uuid, row]));
  return [
    ...wanted
      .filter(({ uuid }) => !named.has(uuid))
      .map(({ name }) => `The log of the ledger '${name}' is missing.`),
    ...failed
      .filter(({ uuid }) => !rows.has(uuid))
      .map(({ name }) => `The database does not know the ledger '${name}'.`),
    ...ledgers.flatMap((ledger) => [
      ...problemsOfRow(ledger, rows.get(ledger.uuid)),
      ...problemsOfIds(ledger),
    ]),
  ];
}

/** A ledger keeps its name, its bucket and its features as long as it exists. */
function problemsOfRow(ledger: SnapshotLedger, row: CatalogueRow | undefined): string[] {
  if (row === undefined) return [`The database does not know the ledger '${ledger.name}'.`];
  return (["name", "bucket", "features"] as const)
    .filter((what) => !isDeepStrictEqual(ledger[what], row[what]))
    .map(
      (what) =>
        `The manifest has another ${what === "features" ? "list of features" : what} of the ledger '${row.name}' than the database.`,
    );
}

/** Ids of entries that lie behind the end of a log. Of an empty log, the entry 0 is published. */
function problemsOfIds({ name, lastLogId, publishedLogId, importedLogId = 0 }: SnapshotLedger) {
  const isBehind = Math.max(publishedLogId, importedLogId) > Math.max(lastLogId, 0);
  return isBehind
    ? [
        `The manifest says of the ledger '${name}' that more entries were published or imported than its log has.`,
      ]
    : [];
}
