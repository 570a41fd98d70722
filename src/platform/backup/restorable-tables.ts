import { COLUMNS_QUERY, type CopiedTable, toTables } from "./copied-table.ts";
import type { CopyDatabase } from "./copy-database.ts";

/** Tables that are in no copy of D1, because they tell of this deployment, and not of what people keep in it. */
export const LEFT_OUT: ReadonlySet<string> = new Set([
  "armed_connectors",
  "disarmament",
  "event_recordings",
  "failed_requests",
  "object_backlogs",
  "payment_lookups",
  "restoration",
  "restored_parts",
  "restored_tables",
  "storage_reserve",
  "storage_sizes",
  "sweep_runs",
]);

/** The list of applied migrations. A copy has it, and a restoration leaves it as it is: it tells of the tables that the rows are written into. */
export const APPLIED = "d1_migrations";

/** The tables of D1 whose rows a restoration writes. */
export async function restorableTables(database: CopyDatabase): Promise<CopiedTable[]> {
  const [columns = []] = await database.batch([{ text: COLUMNS_QUERY }]);
  return toTables(columns).filter(({ name }) => !LEFT_OUT.has(name) && name !== APPLIED);
}
