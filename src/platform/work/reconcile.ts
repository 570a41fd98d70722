import type { SQL } from "drizzle-orm";
import { type Backoff, type Random, waitAfterFailures } from "./backoff.ts";
import { withDeadline } from "./deadline.ts";
import { type ItemResult, type LaneLimits, settleAll } from "./lanes.ts";
import type { PendingRow, SyncTable } from "./sync-table.ts";
import { logError } from "#platform/log.ts";
import { type Clock, toMillis } from "#platform/time.ts";

/** What code that leaves work to a sweep needs of that sweep's clock. Times are milliseconds since the epoch. */
export interface SweepClock {
  /** Makes sure that the sweep runs at that time or before. */
  readonly arm: (atMs: number) => Promise<void>;
  /** Makes sure that the sweep runs again and again until that time, and once after it. */
  readonly watch: (untilMs: number) => Promise<void>;
}

export interface ReconcilerOptions<Row extends PendingRow> {
  /** What a row is, in the log: `pipeline`. */
  readonly what: string;
  readonly table: SyncTable<Row>;
  /**
   * Makes the other side agree with a row. It may be called twice, late and in any order, so the other side keeps the highest
   * revision that it has received. It fails by throwing.
   */
  readonly apply: (row: Row, signal: AbortSignal) => Promise<void>;
  /** Rows of one key are applied one after the other. */
  readonly keyOf: (row: Row) => string;
  readonly lanes: Pick<LaneLimits, "total" | "timeoutMs">;
  readonly backoff: Backoff;
  readonly sweepClock: SweepClock;
  readonly clock: Clock;
  readonly random?: Random;
}

export interface RunLimits {
  /** Most rows that are applied: the platform limits the calls of one invocation. */
  readonly rowsMax: number;
  /** Nothing is begun or waited for beyond this time, in milliseconds since the epoch. */
  readonly untilMs: number;
  /** Restricts the rows; all of them are meant if it is absent. */
  readonly scope?: SQL;
}

/** Longest time that a statement may take to be stored: D1 gives up after 30 seconds. */
const STATEMENT_MS_MAX = 35_000;
/** How many rows are taken together, for each lane. */
const ROWS_PER_LANE = 2;
/** How much longer rows stay claimed than the work on them can last. */
const CLAIM_MARGIN_MS = 1000;
/** How long somebody who waits for the sweep waits between two looks. */
const LOOK_MS = 200;

/**
 * Makes another system agree with rows in D1. There is no transaction across the two, so each row counts its revisions
 * and stores the one that the other side is known to have. While they differ, the other side is called again and again
 * until it agrees. This holds even if a process is killed between any two lines:
 *
 * - The clock watches from before a change is stored, so that the sweep comes after it.
 * - A claim keeps others from a row only for a while. Confirmations compare revisions, so a late one changes nothing.
 * - A row whose other side fails or hangs waits longer each time, and holds up no other one.
 */
export class Reconciler<Row extends PendingRow> {
  readonly #options: ReconcilerOptions<Row>;

  constructor(options: ReconcilerOptions<Row>) {
    this.#options = options;
  }

  /** Stores a change of rows, which has to increase their revision. `run` or the sweep applies it afterwards. */
  async change<T>(store: () => Promise<T>): Promise<T> {
    await this.#options.sweepClock.watch(this.#nowMs() + STATEMENT_MS_MAX);
    return store();
  }

  /** Applies rows that are due. */
  async run({ rowsMax, untilMs, scope }: RunLimits): Promise<void> {
    const { table, lanes } = this.#options;
    const claimMs = lanes.timeoutMs * ROWS_PER_LANE + CLAIM_MARGIN_MS;
    for (let left = rowsMax; left > 0 && Date.now() < untilMs;) {
      const limit = Math.min(lanes.total * ROWS_PER_LANE, left);
      const nowMs = this.#nowMs();
      const rows = await table.claim({ nowMs, untilMs: nowMs + claimMs, limit, scope });
      await this.#record(await this.#applyAll(rows, untilMs));
      left -= rows.length;
      if (rows.length < limit) return;
    }
  }

  /**
   * Applies a stored change, or leaves it to the sweep. Returns whether the other sides agree. Never throws: once the change
   * is stored, the sweep continues without the caller.
   */
  async settle(limits: RunLimits & { readonly waitsForSweep?: boolean }): Promise<boolean> {
    const { table, sweepClock, what } = this.#options;
    const { scope, untilMs, waitsForSweep = false } = limits;
    try {
      await this.run(limits);
      if (!(await table.hasPending(scope))) return true;
      await sweepClock.arm(this.#nowMs());
      if (waitsForSweep) return await this.#waitForSweep(untilMs, scope);
    } catch (error) {
      logError(`a change of a ${what} is not applied yet; the sweep continues`, error);
    }
    return false;
  }

  /** When to sweep next, in milliseconds since the epoch; undefined when nothing is pending. */
  async nextSweepMs(): Promise<number | undefined> {
    const dueMs = await this.#options.table.nextDueMs();
    return dueMs === undefined ? undefined : Math.max(dueMs, this.#nowMs());
  }

  /** Returns whether the other sides agree before `untilMs`. */
  async #waitForSweep(untilMs: number, scope: SQL | undefined): Promise<boolean> {
    while (Date.now() + LOOK_MS < untilMs) {
      await new Promise((resolve) => {
        setTimeout(resolve, LOOK_MS);
      });
      if (!(await this.#options.table.hasPending(scope))) return true;
    }
    return false;
  }

  /** No row is waited for beyond `untilMs`. The rows that are left then are due at once. */
  async #applyAll(rows: readonly Row[], untilMs: number): Promise<ItemResult<Row>[]> {
    const { apply, keyOf, lanes } = this.#options;
    const limits = { ...lanes, perKey: 1 };
    return withDeadline({ afterMs: untilMs - Date.now(), reason: OUT_OF_TIME }, (signal) =>
      settleAll(rows, { limits, keyOf, run: apply, signal }),
    );
  }

  async #record(results: readonly ItemResult<Row>[]): Promise<void> {
    const { table, keyOf, what, backoff, random } = this.#options;
    const nowMs = this.#nowMs();
    const failed = results.filter(({ error }) => error !== undefined);
    for (const { item, error } of failed) {
      if (error === OUT_OF_TIME) continue;
      logError(`a ${what} has not taken a change yet; it is called again`, error, {
        [what]: keyOf(item),
        attempts: item.attempts,
      });
    }
    await table.confirm(results.flatMap(({ item, error }) => (error === undefined ? [item] : [])));
    await table.postpone(
      failed.map(({ item, error }) => {
        const waitMs =
          error === OUT_OF_TIME ? 0 : waitAfterFailures(backoff, item.attempts, random);
        return { ...item, untilMs: nowMs + waitMs };
      }),
    );
  }

  #nowMs(): number {
    return toMillis(this.#options.clock());
  }
}

/** The error of work on a row for which nobody waits any more. */
const OUT_OF_TIME = new Error("the time of the run is over");
