import { type Query, type SQL, sql } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import { audit } from "./tables.ts";
import { assert } from "#platform/assert.ts";
import { systemClock } from "#platform/clock.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type Guard, guardedRows } from "#platform/db/guarded-rows.ts";
import { columnValues, ROW_ORDER } from "#platform/db/json-rows.ts";
import { storeWithReserve } from "#platform/db/reserve.ts";
import { logError } from "#platform/log.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { type Timestamp, toMillis } from "#platform/time.ts";

/** The action that an entry records. */
export interface AuditedAction {
  /** Module, entity and verb: `ledger.bucket.delete`. */
  readonly action: string;
  /**
   * The changed object as a path, `clients/42`; or a query that gives, after the change, the paths of all changed objects in the column
   * `object`.
   */
  readonly object: string | SQL;
  /** Why, as the author has said. */
  readonly note?: string | undefined;
}

type Statement = BatchItem<"sqlite">;

/** A statement that also gives its text, for transactions that are not made of Drizzle's statements. */
type TextStatement = Statement & { readonly toSQL: () => Pick<Query, "sql" | "params"> };

/** The sweep that purges entries. */
export const AUDIT_SWEEP = "audit";
/** Longest time from a change to the next sweep, in milliseconds. */
const SWEEP_AFTER_MS = 24 * 3_600_000;

/**
 * The verbs of actions that must work in a full database: they free room, stop writes, or let a person in again. Their changes may use the
 * reserve (`platform/db/reserve.ts`).
 */
const VITAL: ReadonlySet<string> = new Set([
  "abort",
  "deactivate",
  "delete",
  "delete-metadata",
  "disarm",
  "dismiss-rejected",
  "password",
  "pause",
  "purge",
  "reject",
  "remove-account",
  "reset",
  "revoke",
  "sign-in-link",
  "stop",
  "uninstall",
]);

/** A change in D1 with an entry in the audit log. One batch stores both, so that neither exists without the other. */
export class AuditedChange {
  readonly #context: ServiceContext;
  readonly #action: AuditedAction;
  /** Taken at construction, so that entries of changes in one batch are dated in the order of the changes. */
  readonly #date: Timestamp;

  constructor(context: ServiceContext, action: AuditedAction) {
    this.#context = context;
    this.#action = action;
    this.#date = context.clock();
  }

  /** Stores a change, then its entry if the change affected a row, then the other statements. Returns the result of the change. */
  store<C extends Statement>(
    change: C,
    ...others: readonly Statement[]
  ): Promise<BatchResponse<readonly [C]>[0]> {
    return this.storeAfter([], change, ...others);
  }

  /** Stores a change as `store` does, after statements that see the state before the change. */
  async storeAfter<C extends Statement>(
    before: readonly Statement[],
    change: C,
    ...others: readonly Statement[]
  ): Promise<BatchResponse<readonly [C]>[0]> {
    const [first = change, ...rest] = [...before, change, this.entry, ...others];
    const db = databaseOf(this.#context.env);
    const answers = await (this.isVital
      ? storeWithReserve(db, [first, ...rest])
      : db.batch([first, ...rest]));
    await this.armSweep();
    return answers[before.length] as BatchResponse<readonly [C]>[0]; // The result of the change comes after those of `before`.
  }

  /** Stores the entry of an action on one object that changes no row, such as a read of everything. */
  async record(): Promise<void> {
    const { action, object, note } = this.#action;
    const { env, principal, requestId } = this.#context;
    const { issuer, subject, clientId } = principal;
    assert(typeof object === "string", "an action that changes no row names its object");
    await databaseOf(env)
      .insert(audit)
      .values({ date: this.#date, issuer, subject, clientId, action, object, requestId, note });
    await this.armSweep();
  }

  /** Whether the change must work in a full database. */
  get isVital(): boolean {
    return VITAL.has(this.#action.action.split(".").at(-1) ?? "");
  }

  /** The statement that stores the entry, if the statement right before it in the batch has changed a row. */
  get entry(): TextStatement {
    const { action, object, note = null } = this.#action;
    const { env, principal, requestId } = this.#context;
    const { issuer, subject, clientId } = principal;
    // `changes()` counts no rows of cascades and triggers.
    const objects = typeof object === "string" ? sql`SELECT ${object} AS object` : object;
    return databaseOf(env).insert(audit).select(sql`
      SELECT NULL, ${this.#date}, ${issuer}, ${subject}, ${clientId}, ${action}, object, ${requestId}, ${note}
      FROM (${objects}) WHERE changes() > 0`);
  }

  /**
   * Schedules the sweep; callers that store `entry` by themselves call it afterwards. Never throws: the next change schedules the sweep,
   * too.
   */
  armSweep(): Promise<void> {
    return armAuditSweep(this.#context);
  }
}

/** One of several changes that are stored together, and its author. */
export interface AuditedRow {
  readonly guard: Guard;
  readonly context: Pick<ServiceContext, "principal" | "requestId">;
  readonly action: string;
  readonly object: string;
}

/**
 * The statement that stores the entries of several changes, at least one, for the batch of the changes. An entry is stored if the condition,
 * which finds its change by `guardParts`, holds after the changes. The caller calls `armAuditSweep` afterwards.
 */
export const auditEntries = (
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  rows: readonly AuditedRow[],
  condition: SQL,
): Statement => {
  const { source, items } = guardedRows(
    rows.map(({ context: { principal, requestId }, action, object, guard }) => {
      const { issuer, subject, clientId } = principal;
      return { guard, columns: { issuer, subject, clientId, action, object, requestId } };
    }),
  );
  return databaseOf(env).insert(audit).select(sql`
    SELECT ${columnValues(audit, { ...items, id: null, date: clock(), note: null })} FROM ${source}
    WHERE ${condition} ORDER BY ${ROW_ORDER}`);
};

/** Schedules the sweep of the audit. Never throws: the next change schedules the sweep, too. */
export async function armAuditSweep({ env }: Pick<ServiceContext, "env">): Promise<void> {
  try {
    // Alarms ring by the machine's clock, not by the clock of the change.
    await armClock(env, AUDIT_SWEEP, toMillis(systemClock()) + SWEEP_AFTER_MS);
  } catch (error) {
    logError("the sweep of the audit could not be scheduled; the next change schedules it", error);
  }
}
