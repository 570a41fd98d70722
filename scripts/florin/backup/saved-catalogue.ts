import { join } from "node:path";
import { z } from "zod";
import type { DatabaseManifest } from "./manifest.ts";
import { linesOf } from "./saved-lines.ts";
import { parseJson } from "#platform/json.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** A ledger of the saved catalogue. */
export interface CataloguedLedger {
  readonly uuid: string;
  readonly name: string;
  readonly bucket: string;
  readonly features: Readonly<Record<string, string>>;
  /** Whether its log is being deleted. */
  readonly isPurging: boolean;
}

const CATALOGUE = "ledgers";
const Row = z.array(z.unknown());
const Features = z.record(z.string(), z.string());

/** The ledgers that a saved database has. */
export async function readCatalogue(
  folder: string,
  { tables }: DatabaseManifest,
): Promise<CataloguedLedger[]> {
  const table = tables.find(({ name }) => name === CATALOGUE);
  if (table === undefined)
    throw new OperatorError(`The saved database has no table '${CATALOGUE}'.`);
  const placeOf = (column: string): number => table.columns.indexOf(column);
  const [uuid, name, bucket, features, purging] = [
    "uuid",
    "name",
    "bucket",
    "features",
    "purging_since",
  ].map(placeOf);
  const ledgers: CataloguedLedger[] = [];
  for await (const line of linesOf(join(folder, table.file))) {
    const row = Row.parse(parseJson(line));
    ledgers.push({
      uuid: String(row[uuid ?? -1]),
      name: String(row[name ?? -1]),
      bucket: String(row[bucket ?? -1]),
      features: Features.parse(parseJson(String(row[features ?? -1]))),
      isPurging: (row[purging ?? -1] ?? null) !== null,
    });
  }
  return ledgers;
}
