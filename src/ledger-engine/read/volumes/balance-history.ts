import {
  AccountVolumeReader,
  type Holding,
  keepsEffectiveVolumes,
  type Pair,
} from "#ledger-engine/read/scan/account-volumes.ts";
import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import { periodEnd } from "#ledger-engine/read/scan/period-end.ts";
import { boundariesOf } from "#ledger-engine/rules/period.ts";
import type { BalanceHistoryQuery, BalanceInterval } from "#ledger-engine/rules/reads.ts";
import type { Volumes } from "#ledger-engine/rules/types.ts";
import { AppError } from "#platform/errors.ts";
import { fromMicros, type Timestamp, toMicros } from "#platform/time.ts";

/**
 * Reads the balance of an account over time. The volumes at both ends of an interval give the amounts that moved within it,
 * so that the work grows with the number of intervals, not of moves. Adjacent intervals without moves take one look-up.
 */
export class BalanceHistory {
  readonly #context: ReadContext;
  readonly #volumes: AccountVolumeReader;

  constructor(context: ReadContext) {
    const { sql, transactions, features } = context;
    this.#context = context;
    this.#volumes = new AccountVolumeReader({
      sql,
      transactions,
      hasEffectiveDeltas: keepsEffectiveVolumes(features),
    });
  }

  /**
   * Throws `NOT_FOUND` for an account that never had the asset, and `VALIDATION` for a bad period and for volumes that
   * the ledger's features leave out.
   */
  read(query: BalanceHistoryQuery): BalanceInterval[] {
    this.#assertKept(query);
    const pair = this.#findPair(query);
    const boundaries = boundariesOf({
      ...query,
      endTime: periodEnd(this.#context.sql, query),
    });
    const volumes = this.#volumesBefore(boundaries, pair, query);
    const intervals: BalanceInterval[] = [];
    for (const [index, endTime] of boundaries.entries()) {
      const startTime = boundaries[index - 1];
      if (startTime === undefined) continue;
      const [before, after] = [volumes[index - 1] ?? NOTHING, volumes[index] ?? NOTHING];
      intervals.push({
        startTime,
        endTime,
        input: after.input - before.input,
        output: after.output - before.output,
        balance: after.input - after.output,
      });
    }
    return intervals;
  }

  /** Refuses balances by effective date without effective volumes: each point in time would need all dated moves. */
  #assertKept({ insertionDate }: BalanceHistoryQuery): void {
    const { features } = this.#context;
    if (features.MOVES_HISTORY !== "ON") {
      throw new AppError(
        "VALIDATION",
        "feature MOVES_HISTORY must be 'ON' to use balances of the past",
      );
    }
    if (!insertionDate && !keepsEffectiveVolumes(features)) {
      throw new AppError(
        "VALIDATION",
        "feature MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES must be 'SYNC' to use balances by effective date; insertionDate=true needs no feature",
      );
    }
  }

  #findPair({ account, asset }: BalanceHistoryQuery): Pair {
    const [pair] = this.#context.sql.all<{ account: number; asset: number }>(
      `SELECT account.id AS account, asset.id AS asset FROM account, asset
        WHERE account.address = ? AND asset.name = ?
          AND EXISTS (SELECT 1 FROM move WHERE move.account = account.id AND move.asset = asset.id)`,
      account,
      asset,
    );
    if (pair !== undefined) return pair;
    throw new AppError("NOT_FOUND", `account '${account}' has never had ${asset}`);
  }

  /**
   * The volumes just before each boundary, by bisection: if two boundaries have the same last transaction, all boundaries
   * between them have the same volumes.
   */
  #volumesBefore(
    boundaries: readonly Timestamp[],
    pair: Pair,
    query: BalanceHistoryQuery,
  ): readonly (Holding | undefined)[] {
    const found = boundaries.map((): Holding | undefined => undefined);
    const read = (index: number): void => {
      const before = fromMicros(toMicros(boundaries[index] ?? query.endTime) - 1n);
      found[index] = this.#volumes.find(pair, this.#volumes.asOfDate(before, query));
    };
    const fill = (low: number, high: number): void => {
      if (high - low < 2) return;
      if (found[low]?.tx === found[high]?.tx) {
        found.fill(found[low], low + 1, high);
        return;
      }
      const middle = Math.floor((low + high) / 2);
      read(middle);
      fill(low, middle);
      fill(middle, high);
    };
    const last = boundaries.length - 1;
    read(0);
    read(last);
    fill(0, last);
    return found;
  }
}

const NOTHING: Volumes = { input: 0n, output: 0n };
