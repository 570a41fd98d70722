import {
  AccountVolumeReader,
  type Holding,
  type Pair,
} from "#ledger-engine/read/scan/account-volumes.ts";
import type { Move } from "#ledger-engine/rules/postings.ts";
import type { Volumes } from "#ledger-engine/rules/types.ts";
import type { TransactionReader } from "#ledger-engine/storage/transaction-reader.ts";
import type { WriteBatch } from "#ledger-engine/storage/write-batch.ts";
import {
  amountText,
  chunksOf,
  fromStored,
  type Sql,
  type StoredAmount,
} from "#platform/sql/sql.ts";
import { fromMicros, type Timestamp, toMicros } from "#platform/time.ts";

/** How a transaction that is not the last by date changes the volumes in the order of effective dates. */
export interface EffectiveMove {
  /** The volumes after the move, in that order. */
  readonly volumes: Volumes;
  /** Adds the move's amounts to all later moves of the same account and asset. */
  readonly rewriteLater: () => void;
}

/**
 * Keeps volumes in the order of effective dates (timestamp, then insertion). For a transaction that is dated after all
 * others of its accounts, they equal the volumes and cost nothing. A transaction that is dated before others is
 * inserted between them.
 */
export class EffectiveVolumes {
  readonly #sql: Sql;
  readonly #batch: WriteBatch;
  readonly #transactions: TransactionReader;
  readonly #volumes: AccountVolumeReader;
  /** The latest timestamp of any transaction. It is `undefined` until it is read. */
  #latest: Timestamp | undefined;
  #rewrittenMoves = 0;

  constructor(sql: Sql, batch: WriteBatch, transactions: TransactionReader) {
    this.#sql = sql;
    this.#batch = batch;
    this.#transactions = transactions;
    this.#volumes = new AccountVolumeReader({ sql, transactions, hasEffectiveDeltas: true });
  }

  /** How many moves have been rewritten so far. */
  get rewrittenMoves(): number {
    return this.#rewrittenMoves;
  }

  /** Forgets what a unit of work that was rolled back has changed. */
  reset(): void {
    this.#latest = undefined;
  }

  /** Notes a transaction that is about to be stored. */
  note(timestamp: Timestamp): void {
    if (timestamp > this.#readLatest()) this.#latest = timestamp;
  }

  /** The effective volumes of each move; `undefined` where those of all moves equal the volumes. */
  plan(
    moves: readonly Move[],
    timestamp: Timestamp,
    now: Timestamp,
  ): readonly EffectiveMove[] | undefined {
    if (timestamp >= this.#readLatest()) return undefined;
    if (this.#batch.isLaterThan(timestamp)) this.#batch.flushMoves(moves);
    const point = this.#pointOf(timestamp, now);
    const later = moves.map((move) => this.#findLater(move, point));
    const pairs = later.flatMap((found) => found?.pair ?? []);
    if (pairs.length === 0) return undefined;
    // The waiting rows of these pairs are dated before them, and must be readable as well.
    this.#batch.flushMoves(moves);
    const before = this.#volumes.ofPairs(pairs, { lastTx: point.lastBefore, date: timestamp });
    return moves.map((move, index) => this.#planMove(move, { later: later[index], before, point }));
  }

  #pointOf(timestamp: Timestamp, now: Timestamp): EffectivePoint {
    // Transactions without a date of their own are never later than now.
    const lastBefore =
      timestamp >= now
        ? Number.MAX_SAFE_INTEGER
        : (this.#batch.lastRecentAt(timestamp) ?? this.#transactions.lastIdAt(timestamp));
    return { timestamp, lastBefore };
  }

  #planMove(move: Move, { later, before, point }: MoveContext): EffectiveMove {
    if (later === undefined) {
      // The move comes after all others of its account and asset, so that the volumes are the same in both orders.
      return {
        volumes: { input: move.input, output: move.output },
        rewriteLater: () => undefined,
      };
    }
    const { account, asset } = later.pair;
    const last = before.find((it) => it.account === account && it.asset === asset) ?? NOTHING;
    const amounts = {
      input: move.input - move.before.input,
      output: move.output - move.before.output,
    };
    return {
      volumes: { input: last.input + amounts.input, output: last.output + amounts.output },
      rewriteLater: () => this.#rewriteLater(later, point, amounts),
    };
  }

  /** The later moves of the account and asset of a move, if there are any. */
  #findLater(move: Move, point: EffectivePoint): LaterMoves | undefined {
    const account = this.#batch.findAccountId(move.account);
    const asset = this.#batch.findAssetId(move.asset);
    if (account === undefined || asset === undefined) return undefined;
    const first = this.#sql.all<LaterSqlRow>(
      FIRST_LATER,
      account,
      asset,
      point.lastBefore,
      toMicros(point.timestamp).toString(),
      FEW_MOVES + 1,
    );
    return first.length === 0 ? undefined : { pair: { account, asset }, first };
  }

  #rewriteLater({ pair, first }: LaterMoves, point: EffectivePoint, amounts: Volumes): void {
    if (amounts.input === 0n && amounts.output === 0n) return;
    if (first.length <= FEW_MOVES) return this.#rewriteRows(first, pair, amounts);
    this.#rewriteFrom(UNDATED, pair, { from: undatedFrom(point), amounts });
    this.#rewriteFrom(DATED, pair, { from: datedFrom(point), amounts });
  }

  /**
   * Most later moves have the same difference between effective volumes and volumes, so that one statement rewrites all
   * of them.
   */
  #rewriteFrom(
    statements: LaterStatements,
    pair: Pair,
    { from, amounts }: { from: MoveCursor; amounts: Volumes },
  ): void {
    const bindings = [pair.account, pair.asset, from.date, from.tx] as const;
    const groups = this.#sql.all<EffectiveDeltaSqlRow & { moves: number }>(
      statements.groups,
      ...bindings,
      GROUPS_MAX + 1,
    );
    for (const { moves } of groups) this.#rewrittenMoves += moves;
    if (groups.length > GROUPS_MAX) return this.#rewriteEach(statements, pair, { from, amounts });
    // The highest difference is rewritten first, so that no group becomes equal to one that is still to be rewritten.
    for (const group of groups.toSorted((a, b) =>
      compareVolumes(effectiveDeltaOf(b), effectiveDeltaOf(a)),
    )) {
      const { input, output } = effectiveDeltaOf(group);
      const sum = `[[${amountText(input + amounts.input)},${amountText(output + amounts.output)}]]`;
      this.#sql.all(
        statements.update,
        ...bindings,
        group.effective_delta_input,
        group.effective_delta_output,
        sum,
      );
    }
  }

  /** Rewrites one page after another, because an account may have more later moves than fit in memory. */
  #rewriteEach(
    statements: LaterStatements,
    pair: Pair,
    { from, amounts }: { from: MoveCursor; amounts: Volumes },
  ): void {
    const limit = LATER_PAGE_SIZE;
    let page = this.#readLater(statements.rows, pair, { from, limit });
    for (;;) {
      this.#rewriteRows(page, pair, amounts);
      const last = page.at(-1);
      if (last === undefined || page.length < limit) return;
      page = this.#readLater(statements.rows, pair, { from: last, limit });
    }
  }

  #rewriteRows(rows: readonly LaterSqlRow[], { account, asset }: Pair, amounts: Volumes): void {
    const texts = rows.map((row) => {
      const { input, output } = effectiveDeltaOf(row);
      return `[${row.tx},${amountText(input + amounts.input)},${amountText(output + amounts.output)}]`;
    });
    for (const chunk of chunksOf(texts)) {
      this.#sql.all(UPDATE_EFFECTIVE_DELTAS, account, asset, `[${chunk.join(",")}]`);
    }
    this.#rewrittenMoves += rows.length;
  }

  #readLater(
    select: string,
    { account, asset }: Pair,
    { from, limit }: { from: MoveCursor; limit: number },
  ): DatedSqlRow[] {
    return this.#sql.all<DatedSqlRow>(select, account, asset, from.date, from.tx, limit);
  }

  #readLatest(): Timestamp {
    if (this.#latest === undefined) {
      const [row] = this.#sql.all<{ dated: string | null; inserted: number | null }>(
        `SELECT (SELECT CAST(max(timestamp) AS TEXT) FROM tx WHERE timestamp IS NOT NULL) AS dated,
          (SELECT date FROM tx WHERE timestamp IS NULL ORDER BY id DESC LIMIT 1) AS inserted`,
      );
      const inserted = BigInt(row?.inserted ?? 0);
      const dated = row?.dated === null || row === undefined ? inserted : BigInt(row.dated);
      this.#latest = fromMicros(dated > inserted ? dated : inserted);
    }
    return this.#latest;
  }
}

/** A position in the order of effective dates. `lastBefore` is the last transaction that was inserted by this date. */
interface EffectivePoint {
  readonly timestamp: Timestamp;
  readonly lastBefore: number;
}

type EffectiveDeltaSqlRow = {
  effective_delta_input: StoredAmount | null;
  effective_delta_output: StoredAmount | null;
};

/** By how much the effective volumes of a move exceed its volumes. */
const effectiveDeltaOf = ({
  effective_delta_input,
  effective_delta_output,
}: EffectiveDeltaSqlRow): Volumes => ({
  input: fromStored(effective_delta_input ?? 0),
  output: fromStored(effective_delta_output ?? 0),
});

function compareVolumes(a: Volumes, b: Volumes): number {
  if (a.input !== b.input) return a.input < b.input ? -1 : 1;
  return a.output === b.output ? 0 : a.output < b.output ? -1 : 1;
}

const NOTHING: Volumes = { input: 0n, output: 0n };
/**
 * At most this many statements rewrite moves in groups. Where there are more differences, each move is rewritten on its
 * own.
 */
const GROUPS_MAX = 20;
/** Up to this many later moves are read at once, and written with one statement, whatever their differences are. */
const FEW_MOVES = 50;
/** This many moves are rewritten at a time. */
const LATER_PAGE_SIZE = 10_000;

/**
 * Where a read of later moves starts; this move itself is excluded. The date is microseconds as text, and null for
 * moves without a date of their own.
 */
interface MoveCursor {
  readonly date: string | null;
  readonly tx: number;
}

type LaterSqlRow = EffectiveDeltaSqlRow & { tx: number };
type DatedSqlRow = LaterSqlRow & { date: string | null };

/** The later moves of an account and asset: all, or one more than a few. */
interface LaterMoves {
  readonly pair: Pair;
  readonly first: readonly LaterSqlRow[];
}

interface MoveContext {
  /** Undefined where there are none. */
  readonly later: LaterMoves | undefined;
  /** The effective volumes at the point, of the pairs that have later moves. */
  readonly before: readonly Holding[];
  readonly point: EffectivePoint;
}

const undatedFrom = ({ lastBefore }: EffectivePoint): MoveCursor => ({
  date: null,
  tx: lastBefore,
});

const datedFrom = ({ timestamp }: EffectivePoint): MoveCursor => ({
  date: toMicros(timestamp).toString(),
  tx: Number.MAX_SAFE_INTEGER,
});

/** The statements about the later moves that have a date of their own, or about those that have none. */
interface LaterStatements {
  readonly rows: string;
  readonly groups: string;
  readonly update: string;
}

const laterStatements = (condition: string, order: string): LaterStatements => ({
  rows: `SELECT tx, CAST(timestamp AS TEXT) AS date, effective_delta_input, effective_delta_output FROM move
    WHERE account = ?1 AND asset = ?2 AND ${condition} ORDER BY ${order} LIMIT ?5 + 0`,
  groups: `SELECT effective_delta_input, effective_delta_output, count(*) AS moves FROM move
    WHERE account = ?1 AND asset = ?2 AND ${condition} GROUP BY effective_delta_input, effective_delta_output LIMIT ?5 + 0`,
  update: `UPDATE move
    SET (effective_delta_input, effective_delta_output) = (SELECT value ->> 0, value ->> 1 FROM json_each(?7))
    WHERE account = ?1 AND asset = ?2 AND ${condition}
      AND effective_delta_input IS ?5 AND effective_delta_output IS ?6`,
});

const UNDATED = laterStatements("timestamp IS NULL AND ?3 IS NULL AND tx > ?4", "tx");
const DATED = laterStatements(
  "timestamp IS NOT NULL AND (timestamp, tx) > (CAST(?3 AS INTEGER), ?4)",
  "timestamp, tx",
);

/** The first few later moves, in no order: those that have no date of their own, then those that have one. */
const FIRST_LATER = `SELECT * FROM (
    SELECT tx, effective_delta_input, effective_delta_output FROM move
      WHERE account = ?1 AND asset = ?2 AND timestamp IS NULL AND tx > ?3 LIMIT ?5 + 0
  ) UNION ALL SELECT * FROM (
    SELECT tx, effective_delta_input, effective_delta_output FROM move
      WHERE account = ?1 AND asset = ?2 AND timestamp IS NOT NULL AND timestamp > CAST(?4 AS INTEGER) LIMIT ?5 + 0
  ) LIMIT ?5 + 0`;

/**
 * The update is written as an insert that always conflicts, because each row is then one look-up, while `UPDATE ...
 * FROM` may scan the table for each.
 */
const UPDATE_EFFECTIVE_DELTAS = `INSERT OR FAIL INTO move
    (account, asset, tx, role, input, output, effective_delta_input, effective_delta_output)
  SELECT ?, ?, value ->> 0, 0, 0, 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE true
  ON CONFLICT (account, asset, tx) DO UPDATE
    SET effective_delta_input = excluded.effective_delta_input,
      effective_delta_output = excluded.effective_delta_output`;
