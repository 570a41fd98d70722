import { AuditedChange } from "#platform/audit/audited-change.ts";
import { readCopiedRows, type RowsOfTable, type SoughtRows } from "#platform/backup/copied-rows.ts";
import { d1CopyDatabase, type CopyStatement } from "#platform/backup/copy-database.ts";
import { ABANDONED_MS } from "#platform/backup/copy-state.ts";
import { LEFT_OUT } from "#platform/backup/restorable-tables.ts";
import { type CopiedChanges, type CopyEnd, TableCopy } from "#platform/backup/table-copy.ts";
import { systemClock } from "#platform/clock.ts";
import type { ServiceContext } from "#platform/context.ts";
import type { Sweep } from "#platform/modules/module.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { toMillis } from "#platform/time.ts";

/** The sweep that ends copies which were left alone. */
const COPY_SWEEP = "database-copy";

/** The copy of D1 that a backup makes, see `TableCopy`. It goes by the machine's clock, as alarms do. */
export class DatabaseCopy {
  readonly #context: ServiceContext;
  readonly #copy: TableCopy;

  constructor(context: ServiceContext) {
    this.#context = context;
    this.#copy = copyOf(context.env);
  }

  /** Begins a copy. Throws `CONFLICT` while another one is under way. */
  async begin(): Promise<{ readonly id: string }> {
    const nowMs = toMillis(systemClock());
    // The clock is armed first: a copy that begins and is left alone right away is ended all the same.
    await armClock(this.#context.env, COPY_SWEEP, nowMs + ABANDONED_MS);
    const change = new AuditedChange(this.#context, {
      action: "deployment.database-copy.begin",
      object: "database",
    });
    const { id } = await this.#copy.begin(nowMs, [statementOf(change.entry)]);
    await change.armSweep();
    return { id };
  }

  /** Reads rows of one table; the first ones of the first table without a place. Throws `CONFLICT`, and `NOT_FOUND` for an unknown table. */
  readRows(id: string, sought: SoughtRows): Promise<RowsOfTable> {
    return readCopiedRows(this.#copy, callOf(id), sought);
  }

  /** Reads rows that have changed after the change `after`. Throws `CONFLICT`. */
  readChanges(id: string, after: number): Promise<CopiedChanges> {
    return this.#copy.changes(callOf(id), after);
  }

  /** Ends the copy with the last changes; undefined if too many are left. Throws `CONFLICT`. */
  end(id: string, after: number): Promise<CopyEnd | undefined> {
    return this.#copy.end(callOf(id), after);
  }

  abandon(id: string): Promise<void> {
    return this.#copy.abandon(id);
  }
}

/** Ends copies that were left alone, so that no triggers of them stay. */
export const endDatabaseCopies: Sweep = {
  name: COPY_SWEEP,
  run: ({ env }) => copyOf(env).endAbandoned(toMillis(systemClock())),
};

const copyOf = (env: Pick<Env, "DB">): TableCopy => new TableCopy(d1CopyDatabase(env.DB), LEFT_OUT);

/** The statement of an entry of the audit. Its parameters are texts. */
function statementOf(entry: AuditedChange["entry"]): CopyStatement {
  const { sql: text, params } = entry.toSQL();
  return { text, params: params.map(String) };
}

const callOf = (id: string) => ({ id, nowMs: toMillis(systemClock()) });
