import { z } from "zod";
import type { TableColumns } from "./copy-tables.ts";
import { parseJson } from "#platform/json.ts";

/** A ledger of the saved catalogue. */
export interface CatalogueRow {
  readonly uuid: string;
  readonly name: string;
  readonly bucket: string;
  readonly features: Readonly<Record<string, string>>;
  /** Whether its log is being deleted. */
  readonly isPurging: boolean;
}

/** The name of the table of the catalogue. */
export const CATALOGUE = "ledgers";
/** The table of when keys were first in force. Its rows are never changed or removed, so that a server that was made anew has others. */
export const KEY_TABLE = "secret_keys";

const Row = z.array(z.unknown());
const Features = z.record(z.string(), z.string());

/** Makes ledgers of the lines of the catalogue's table. */
export function catalogueReader({
  columns,
}: Pick<TableColumns, "columns">): (line: string) => CatalogueRow {
  const [uuid, name, bucket, features, purging] = [
    "uuid",
    "name",
    "bucket",
    "features",
    "purging_since",
  ].map((column) => columns.indexOf(column));
  return (line) => {
    const row = Row.parse(parseJson(line));
    return {
      uuid: String(row[uuid ?? -1]),
      name: String(row[name ?? -1]),
      bucket: String(row[bucket ?? -1]),
      features: Features.parse(parseJson(String(row[features ?? -1]))),
      isPurging: (row[purging ?? -1] ?? null) !== null,
    };
  };
}
