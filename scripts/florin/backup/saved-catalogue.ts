import { join } from "node:path";
import { linesOf } from "./saved-lines.ts";
import {
  CATALOGUE,
  type CatalogueRow,
  catalogueReader,
} from "#platform/backup/saving/catalogue-rows.ts";
import type { DatabaseManifest } from "#platform/backup/saving/manifest.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** The ledgers that a saved database has. */
export async function readCatalogue(
  folder: string,
  { tables }: DatabaseManifest,
): Promise<CatalogueRow[]> {
  const table = tables.find(({ name }) => name === CATALOGUE);
  if (table === undefined)
    throw new OperatorError(`The saved database has no table '${CATALOGUE}'.`);
  const read = catalogueReader(table);
  return (await Array.fromAsync(linesOf(join(folder, table.file)))).map(read);
}
