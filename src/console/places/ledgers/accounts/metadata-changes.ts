import type { PageSum } from "#console/parts/table/use-page-sum.ts";
import { type LogEntry, logsQuery } from "#console/places/ledgers/logs/queries.ts";
import { stringifyJson } from "#platform/json.ts";

/** A change of one of an account's metadata. */
export interface MetadataChange {
  readonly id: string;
  readonly at: string;
  readonly name: string;
  /** The new value; undefined if it was deleted. */
  readonly value: string | undefined;
}

interface Found {
  /** How many entries were looked at. */
  readonly entries: number;
  readonly changes: readonly MetadataChange[];
}

/** Most changes that are kept. */
const CHANGES_MAX = 200;
const TYPES = stringifyJson({
  $or: ["SET_METADATA", "DELETE_METADATA"].map((type) => ({ $match: { type } })),
});

/** The changes of an account's metadata, newest first. The log has no filter for accounts, so that all changes of metadata are looked at. */
export const metadataChanges = (ledger: string, address: string): PageSum<LogEntry, Found> => ({
  readPage: logsQuery(ledger, TYPES).readPage,
  start: { entries: 0, changes: [] },
  add: ({ entries, changes }, rows) => ({
    entries: entries + rows.length,
    changes: [...changes, ...rows.flatMap((row) => changesIn(row, address))].slice(0, CHANGES_MAX),
  }),
  pages: { first: 10, more: 40 },
});

function changesIn({ id, date, data }: LogEntry, address: string): MetadataChange[] {
  if (!("targetType" in data) || data.targetType !== "ACCOUNT" || data.targetId !== address)
    return [];
  const values: readonly (readonly [string, string | undefined])[] =
    "key" in data ? [[data.key, undefined]] : Object.entries(data.metadata ?? {});
  return values.map(([name, value]) => ({ id: `${id} ${name}`, at: date, name, value }));
}
