import type { SQL } from "drizzle-orm";
import { type Backoff, type Random, waitAfterFailures } from "./backoff.ts";
import { withDeadline } from "./deadline.ts";
import { type ItemResult, type LaneLimits, settleAll } from "./lanes.ts";
import type { PendingRow, SyncTable } from "./sync-table.ts";
import { logError } from "#platform/log.ts";
import { type Clock, toMillis } from "#platform/time.ts";

/** The clock of a sweep, for code that leaves work to the sweep. Times are in milliseconds since the epoch. */
export interface SweepClock {
  /** Makes sure that the sweep runs at `atMs` or earlier. */
  readonly arm: (atMs: number) => Promise<void>;
  /** Makes sure that the sweep runs repeatedly until `untilMs`, and once later. */
  readonly watch: (untilMs: number) => Promise<void>;
}

export interface ReconcilerOptions<Row extends PendingRow> {
  /** The name of a row in the log: `pipeline`. */
  readonly what: string;
  readonly table: SyncTable<Row>;
  /**
   * Makes the other side agree with a row. Calls may come twice, late and in any order, so that the other side keeps the highest revision
   * that it has received. Throws if the other side could not be changed.
   */
  readonly apply: (row: Row, signal: AbortSignal) => Promise<void>;
  /** The key of a row. Rows of one key are applied sequentially. */
  readonly keyOf: (row: Row) => string;
  readonly lanes: Pick<LaneLimits, "total" | "timeoutMs">;
  readonly backoff: Backoff;
  /**
   * The wait after an error of `apply` that says that nothing was begun, in milliseconds: such work counts as no attempt. Undefined for all
   * other errors.
   */
  readonly heldMsOf?: (error: unknown) => number | undefined;
  readonly sweepClock: SweepClock;
  readonly clock: Clock;
  readonly random?: Random;
}

export interface RunLimits {
  /** Most rows of the run: the platform limits the calls of one invocation. */
  readonly rowsMax: number;
  /** The end of the run, in milliseconds since the epoch. No row is begun or waited for later. */
  readonly untilMs: number;
  /** A condition for the rows; absent for all rows. */
  readonly scope?: SQL;
}

/** Longest time until a statement is stored, in milliseconds: D1 gives up after 30 seconds. */
const STATEMENT_MS_MAX = 35_000;
/** Rows of one claim, for each lane. */
const ROWS_PER_LANE = 2;
/** Time for which rows stay claimed beyond the longest work on them, in milliseconds. */
const CLAIM_MARGIN_MS = 1000;
/** Time between two polls of a caller that waits for the sweep, in milliseconds. */
const LOOK_MS = 200;

/**
 * Makes another system, the other side, agree with rows in D1. No transaction covers both, so that each row counts its revisions and stores
 * the last revision that the other side is known to have. While the two numbers differ, the row is pending, and the other side is called
 * until it agrees:
 *
 *     change ─► clock watches ─► D1: revision 4, synced 3, due now
 *                                         │
 *     run ─► claim: attempts + 1, due again in claimMs ─► apply ─┬─ done ───► confirm: synced 4 (or the row is deleted)
 *              ▲                                                 ├─ failed ─► postpone: due after the backoff ─┐
 *              │                                                 ├─ held ───► postpone, attempts − 1 ──────────┤
 *              │                                                 └─ killed ─► due when the claim ends ─────────┤
 *              └─────────────────────────────────── the sweep's next run ──────────────────────────────────────┘
 *
 * The rows and the other side agree in the end, even if a process is killed between any two lines:
 *
 * - The clock watches from before a change is stored, so that a sweep runs after the change.
 * - A claim keeps other runs from a row for a limited time. Confirmations compare revisions, so that a late confirmation changes nothing.
 * - A row whose other side fails or hangs waits longer each time, and holds up no other row.
 */
export class Reconciler<Row extends PendingRow> {
  readonly #options: ReconcilerOptions<Row>;

  constructor(options: ReconcilerOptions<Row>) {
    this.#options = options;
  }

  /** Stores a change of rows, which must increase their revision. `run` or the sweep applies the change afterwards. */
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
   * Applies a stored change, or leaves it to the sweep. Returns whether the other side agrees with all rows. Never throws: the sweep
   * applies a stored change without the caller.
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

  /** The time of the next sweep, in milliseconds since the epoch; undefined if no row is pending. */
  async nextSweepMs(): Promise<number | undefined> {
    const dueMs = await this.#options.table.nextDueMs();
    return dueMs === undefined ? undefined : Math.max(dueMs, this.#nowMs());
  }

  /** Waits for the sweep. Returns whether the other side agrees with all rows before `untilMs`. */
  async #waitForSweep(untilMs: number, scope: SQL | undefined): Promise<boolean> {
    while (Date.now() + LOOK_MS < untilMs) {
      await new Promise((resolve) => {
        setTimeout(resolve, LOOK_MS);
      });
      if (!(await this.#options.table.hasPending(scope))) return true;
    }
    return false;
  }

  /** Applies rows until `untilMs`. Rows that are left at that time are due at once. */
  async #applyAll(rows: readonly Row[], untilMs: number): Promise<ItemResult<Row>[]> {
    const { apply, keyOf, lanes } = this.#options;
    const limits = { ...lanes, perKey: 1 };
    return withDeadline({ afterMs: untilMs - Date.now(), reason: OUT_OF_TIME }, (signal) =>
      settleAll(rows, { limits, keyOf, run: apply, signal }),
    );
  }

  async #record(results: readonly ItemResult<Row>[]): Promise<void> {
    const { table, keyOf, what, backoff, random, heldMsOf = () => undefined } = this.#options;
    const nowMs = this.#nowMs();
    const failed = results
      .filter(({ error }) => error !== undefined)
      .map((result) => ({ ...result, heldMs: heldMsOf(result.error) }));
    for (const { item, error, heldMs } of failed) {
      if (error === OUT_OF_TIME || heldMs !== undefined) continue;
      logError(`a ${what} has not taken a change yet; it is called again`, error, {
        [what]: keyOf(item),
        attempts: item.attempts,
      });
    }
    await table.confirm(results.flatMap(({ item, error }) => (error === undefined ? [item] : [])));
    await table.postpone(
      failed.map(({ item, error, heldMs }) => {
        if (heldMs !== undefined) return { ...item, untilMs: nowMs + heldMs, isUndone: true };
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

/** The error of work on a row that the run no longer waits for. */
const OUT_OF_TIME = new Error("the time of the run is over");
