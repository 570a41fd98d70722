import type { SourceDefinition } from "./definition.ts";
import type { reconciliationSources } from "./tables.ts";
import type { Reach } from "#modules/reconciliation/balances/reach.ts";
import { parseJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** What lines can come from. */
export interface LineSource<D extends SourceDefinition = SourceDefinition> {
  readonly key: number;
  readonly id: string;
  readonly name: string;
  readonly definition: D;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  /** The subject of the principal that created it. */
  readonly createdBy: string;
}

export type SourceRow = typeof reconciliationSources.$inferSelect;

export const toSource = (row: SourceRow): LineSource => ({
  key: row.key,
  id: row.id,
  name: row.name,
  definition: parseJson(row.definition) as SourceDefinition, // `create.ts` and `change.ts` write nothing else
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  createdBy: row.createdBy,
});

/** The parts of the books that a source reads. Files belong to no ledger. */
export const reachOfSource = ({ definition }: Pick<LineSource, "definition">): Reach => ({
  ledgers: definition.kind === "accounts" ? [definition.ledger] : [],
  hasPools: definition.kind === "connector" || definition.kind === "pool",
});
