import {
  isCreated,
  isCurrent,
  migrate,
  migrateSlice,
  readMigrations,
  type MigrationStep,
  type TablesState,
} from "#ledger-engine";
import { attempt, type Result } from "#platform/result.ts";
import type { Sql } from "#platform/sql/sql.ts";

export type Refusal = Extract<Result<never>, { ok: false }>;

/** The refusal where the ledger does not exist for clients. */
export const NOT_CREATED: Refusal = {
  ok: false,
  failure: { kind: "LEDGER_NOT_FOUND", message: "ledger not found" },
};

const MIGRATING: Refusal = {
  ok: false,
  failure: {
    kind: "OVERLOADED",
    message: "the storage of the ledger is being brought up to date, try again later",
  },
};

/** Brings the tables of a ledger's object up to date, a slice at a time, and says what they can be used for meanwhile. */
export class TableMigration {
  readonly #sql: Sql;
  readonly #wake: () => void;
  #state: TablesState | Refusal = "current";

  /** `wake` makes sure that `continue` is called soon, whatever happens to the object. */
  constructor(sql: Sql, wake: () => void) {
    this.#sql = sql;
    this.#wake = wake;
  }

  /** Why the ledger cannot be opened; undefined where it can. */
  get refusal(): Refusal | undefined {
    if (this.#state === "closed") return MIGRATING;
    return typeof this.#state === "string" ? undefined : this.#state;
  }

  /** Why the rows cannot be compared with those of a rebuilt ledger; undefined where they can. */
  get auditRefusal(): Refusal | undefined {
    return this.#state === "current" ? undefined : (this.refusal ?? MIGRATING);
  }

  get steps(): MigrationStep[] {
    return readMigrations(this.#sql);
  }

  /** Makes the quick changes to the tables of a stored ledger. */
  start(): void {
    this.#take(() => migrate(this.#sql));
  }

  /** Changes one slice of rows. Returns false where none is left, or the storage was deleted. */
  continue(): boolean {
    if (!isCreated(this.#sql) || isCurrent(this.#sql)) return false;
    this.#take(() => migrateSlice(this.#sql));
    return true;
  }

  /** Notes that the tables are deleted. */
  clear(): void {
    this.#state = "current";
  }

  #take(work: () => TablesState): void {
    const result = attempt(work);
    this.#state = result.ok ? result.value : result;
    if (result.ok && result.value !== "current") this.#wake();
  }
}
