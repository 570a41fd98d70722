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

/** The effect of a move on the effective volumes, if its transaction is dated before another one. */
export interface EffectiveMove {
  /** The effective volumes after the move. */
  readonly volumes: Volumes;
  /** Adds the move's amounts to all later moves of the same account and asset. */
  readonly rewriteLater: () => void;
}

/**
 * Keeps volumes in the order of effective dates (timestamp, then insertion): prefix sums in which a move may be inserted
 * between others. The effective volumes of a transaction that is dated after all others of its accounts equal its volumes
 * and are not stored. A transaction that is dated before others is inserted between them, and its amounts are added to
 * the effective volumes of all later moves of its accounts.
 *
 * Moves store the difference, the effective delta. An account receives 100, 50 and, dated between these two, 30:
 *
 *     inserted   dated   amount   volume   effective volume   delta
 *     tx 1       Jan     +100     100      100                0
 *     tx 2       Mar     +50      150      150 → 180          0 → +30    rewritten
 *     tx 3       Feb     +30      180      130 = 100 + 30     −50        inserted
 *
 * Later moves mostly share few deltas, so that one statement rewrites all moves of one delta. The work still grows with
 * the number of later moves.
 */
export class EffectiveVolumes {
  readonly #sql: Sql;
  readonly #batch: WriteBatch;
  readonly #transactions: TransactionReader;
  readonly #volumes: AccountVolumeReader;
  /** The latest timestamp of any transaction; undefined until it is read. */
  #latest: Timestamp | undefined;
  #rewrittenMoves = 0;

  constructor(sql: Sql, batch: WriteBatch, transactions: TransactionReader) {
    this.#sql = sql;
    this.#batch = batch;
    this.#transactions = transactions;
    this.#volumes = new AccountVolumeReader({ sql, transactions, hasEffectiveDeltas: true });
  }

  /** The number of moves that have been rewritten so far. */
  get rewrittenMoves(): number {
    return this.#rewrittenMoves;
  }

  /** Forgets the state in memory, which may be wrong after a rollback. */
  reset(): void {
    this.#latest = undefined;
  }

  /** Notes a transaction that is about to be stored. */
  note(timestamp: Timestamp): void {
    if (timestamp > this.#readLatest()) this.#latest = timestamp;
  }

  /** The effective volumes of each move; undefined if they equal the volumes for all moves. */
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
    // Waiting moves of these pairs that are dated before the transaction must be readable as well.
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
      // The move is the last one of its account and asset in both orders, so that its volumes are equal.
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

  /** The later moves of the account and asset of a move; undefined if there are none. */
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

  /** Rewrites later moves in groups of equal deltas, with one statement for each group. Most have the same delta. */
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
    // Groups are rewritten from the highest delta down. Amounts are never negative, so that no rewritten group becomes equal to
    // a group that is still to be rewritten.
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

  /** Rewrites later moves one by one, in pages, because an account may have more of them than fit in memory. */
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

/** A position in the order of effective dates. `lastBefore` is the last transaction that was inserted at or before the timestamp. */
interface EffectivePoint {
  readonly timestamp: Timestamp;
  readonly lastBefore: number;
}

type EffectiveDeltaSqlRow = {
  effective_delta_input: StoredAmount | null;
  effective_delta_output: StoredAmount | null;
};

/** The effective volumes of a move minus its volumes. */
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
/** The most groups of equal deltas. If later moves have more deltas, each move is rewritten on its own. */
const GROUPS_MAX = 20;
/** Up to this many later moves are read at once and rewritten with one statement, without groups. */
const FEW_MOVES = 50;
/** The number of moves of a page. */
const LATER_PAGE_SIZE = 10_000;

/**
 * The move after which a read of later moves starts. The date is in microseconds, as text; null for moves without a date
 * of their own.
 */
interface MoveCursor {
  readonly date: string | null;
  readonly tx: number;
}

type LaterSqlRow = EffectiveDeltaSqlRow & { tx: number };
type DatedSqlRow = LaterSqlRow & { date: string | null };

/** An account and asset with later moves. `first` has all of them, or `FEW_MOVES + 1` if there are more. */
interface LaterMoves {
  readonly pair: Pair;
  readonly first: readonly LaterSqlRow[];
}

interface MoveContext {
  /** Undefined if the move has no later moves. */
  readonly later: LaterMoves | undefined;
  /** The effective volumes before `point` of each pair that has later moves. */
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

/** Statements about later moves with a date of their own, or about later moves without one. */
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

/** Selects a few later moves, in no order: moves without a date of their own, then moves with one. */
const FIRST_LATER = `SELECT * FROM (
    SELECT tx, effective_delta_input, effective_delta_output FROM move
      WHERE account = ?1 AND asset = ?2 AND timestamp IS NULL AND tx > ?3 LIMIT ?5 + 0
  ) UNION ALL SELECT * FROM (
    SELECT tx, effective_delta_input, effective_delta_output FROM move
      WHERE account = ?1 AND asset = ?2 AND timestamp IS NOT NULL AND timestamp > CAST(?4 AS INTEGER) LIMIT ?5 + 0
  ) LIMIT ?5 + 0`;

/**
 * An update that is written as an insert which always conflicts: each row is then one look-up, while `UPDATE ... FROM`
 * may scan the table for each row.
 */
const UPDATE_EFFECTIVE_DELTAS = `INSERT OR FAIL INTO move
    (account, asset, tx, role, input, output, effective_delta_input, effective_delta_output)
  SELECT ?, ?, value ->> 0, 0, 0, 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE true
  ON CONFLICT (account, asset, tx) DO UPDATE
    SET effective_delta_input = excluded.effective_delta_input,
      effective_delta_output = excluded.effective_delta_output`;
