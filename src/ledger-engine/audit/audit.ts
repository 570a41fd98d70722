import {
  cellsAt,
  type ColumnDifference,
  differingColumns,
  digestOf,
  type Key,
  keyBehind,
  type RangeDigest,
  type RowDigest,
  rowDigestsOf,
  TABLE_NAMES,
  type TableName,
  type TableRange,
} from "./table-ranges.ts";
import { LedgerEngine } from "#ledger-engine/engine.ts";
import { AccountVolumeReader, NOW } from "#ledger-engine/read/scan/account-volumes.ts";
import type { LedgerInfo } from "#ledger-engine/rules/types.ts";
import { StoredNames } from "#ledger-engine/storage/names/names.ts";
import { TransactionReader } from "#ledger-engine/storage/transaction-reader.ts";
import { type LogRowPage, readLogPage, ReplayError } from "#ledger-engine/write/log-rows.ts";
import { assert } from "#platform/assert.ts";
import { parseJson } from "#platform/json.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { isStorageFull } from "#platform/storage-full.ts";
import type { Clock } from "#platform/time.ts";

/** The limits of one step of an audit. */
export interface AuditSteps {
  /** The most log entries of an answer. */
  readonly entries: number;
  /** The most rows of a table that are compared. */
  readonly rows: number;
}

/** The limits of an audit without a limit of time. */
export const AUDIT_STEPS: AuditSteps = { entries: 5000, rows: 5000 };

/** The most answers that are replayed in one transaction. Changes that are not committed take room on the disk, but no memory. */
const ANSWERS_TOGETHER = 100;

/**
 * A request of an audit to a ledger: for the log entries after an id and, once the audit has the whole log, for a part of
 * the tables.
 */
export interface AuditRequest {
  readonly after: number;
  readonly range: TableRange;
  /** The limits of the answer, which may be smaller. */
  readonly steps: AuditSteps;
  /** Whether the digest of each row is asked for, because the digest of the whole range differed. */
  readonly wantsRows: boolean;
  /** The key of a row whose cells are asked for, because the digest of the row differed. */
  readonly row?: Key | undefined;
}

/** The answer of a ledger. The page of the log and the contents of the table are read at the same moment. */
export interface AuditAnswer {
  readonly page: LogRowPage;
  /** The digest of the first rows of the range. As `rows` and `cells`, it is given only if the page reaches the end of the log. */
  readonly digest?: RangeDigest;
  readonly rows?: readonly RowDigest[];
  /** The cells of a row; null if the row does not exist. */
  readonly cells?: string | null;
}

/** Answers an audit about the ledger in `sql`. Everything is read in one turn. */
export function answerAudit(
  sql: Sql,
  { after, range, steps, wantsRows, row }: AuditRequest,
): AuditAnswer {
  const page = readLogPage(sql, after, steps.entries);
  if (!page.isLast) return { page };
  if (row !== undefined) return { page, cells: cellsAt(sql, range.table, row) ?? null };
  if (wantsRows) return { page, rows: rowDigestsOf(sql, range) };
  return { page, digest: digestOf(sql, range, steps.rows) };
}

export interface AuditDifference extends Partial<ColumnDifference> {
  /** `log` stands for an entry that cannot be replayed. */
  readonly table: TableName | "log";
  /** The primary key, its columns joined with `,`. */
  readonly key: string;
  readonly problem: string;
}

export interface AuditTotals {
  readonly asset: string;
  /** The sum of the inputs of all accounts, which equals the sum of their outputs. */
  readonly input: bigint;
  readonly output: bigint;
}

export interface AuditReport {
  readonly status: "running" | "consistent" | "inconsistent";
  /** The last log entry of the copy. If an entry cannot be replayed, the copy has none of the entries that were replayed with it. */
  readonly lastLogId: number;
  /** The number of rows that were compared, by table. */
  readonly rows: Readonly<Partial<Record<TableName, number>>>;
  readonly totals: readonly AuditTotals[];
  /** The first differences, up to `DIFFERENCES_MAX`. */
  readonly differences: readonly AuditDifference[];
}

/** The most differences of a report. One flipped byte of a name shows up in many rows. */
const DIFFERENCES_MAX = 100;

/** The progress of an audit, as plain data. */
export interface AuditProgress {
  readonly table: number;
  readonly after: Key | undefined;
  /** The end of the range whose rows are compared one by one, because its digest differed. */
  readonly to: Key | undefined;
  readonly wantsRows: boolean;
  /** The rows of the range that are still to be compared one by one. */
  readonly pending: readonly Key[];
  /** The number of rows of the range of `pending`. */
  readonly pendingRows: number;
  /** Whether all rows are compared. */
  readonly isCompared: boolean;
  /** The last account whose volumes are in the totals. */
  readonly summedAccount: number;
  readonly isDone: boolean;
  readonly rows: Readonly<Partial<Record<TableName, number>>>;
  readonly totals: readonly AuditTotals[];
  readonly differences: readonly AuditDifference[];
}

const START: AuditProgress = {
  table: 0,
  after: undefined,
  to: undefined,
  wantsRows: false,
  pending: [],
  pendingRows: 0,
  isCompared: false,
  summedAccount: 0,
  isDone: false,
  rows: {},
  totals: [],
  differences: [],
};

/**
 * Rebuilds a ledger from its log, entry by entry, in a database of its own, and compares all tables. Entries that are
 * written meanwhile are replayed as well, so that both sides are always of the same moment. The hash chain is computed
 * anew, so that a wrong hash shows up as a difference of its row.
 *
 *     ledger   log ──► replay ──► copy
 *              │                   │
 *              └──── compare ──────┘   digest of a range of rows ─ equal ─► next range
 *                                      differs: digest of each row; of rows that differ, the cells
 */
export class LedgerAudit {
  readonly #sql: Sql;
  readonly #engine: LedgerEngine;
  readonly #volumes: AccountVolumeReader;
  #progress: AuditProgress;

  /** Continues an earlier audit of the same ledger in its database, from its `progress`. */
  constructor(sql: Sql, info: LedgerInfo, progress: AuditProgress = START) {
    LedgerEngine.create(sql, info);
    this.#sql = sql;
    this.#engine = new LedgerEngine(sql, noClock);
    this.#volumes = new AccountVolumeReader({
      sql,
      transactions: new TransactionReader(sql, new StoredNames(sql)),
      hasEffectiveDeltas: false, // only volumes by insertion are read
    });
    this.#progress = progress;
  }

  get progress(): AuditProgress {
    return this.#progress;
  }

  get report(): AuditReport {
    const { isDone, rows, totals, differences } = this.#progress;
    const status = isDone ? (differences.length === 0 ? "consistent" : "inconsistent") : "running";
    return { status, lastLogId: this.#engine.lastLogId, rows, totals, differences };
  }

  /** The next request; undefined if all rows are compared, and only `sum` is left. */
  next(steps: AuditSteps = AUDIT_STEPS): AuditRequest | undefined {
    const { after, wantsRows, pending, isCompared } = this.#progress;
    if (isCompared) return undefined;
    const to = wantsRows ? this.#progress.to : this.#keyBehind(after, steps.rows);
    return {
      after: this.#engine.headLogId,
      range: { table: this.#table, after, to },
      steps,
      wantsRows,
      row: pending[0],
    };
  }

  /**
   * Takes the next step of an audit whose ledger answers synchronously. If the log continues after an answer, further answers are
   * asked for, up to `answersMax`, and all are replayed in one transaction.
   */
  step(
    ask: (request: AuditRequest) => AuditAnswer,
    steps: AuditSteps = AUDIT_STEPS,
    answersMax = ANSWERS_TOGETHER,
  ): void {
    const request = this.next(steps);
    if (request === undefined) return this.sum(steps.rows);
    const engine = this.#engine;
    let answer = ask(request);
    function* pages(first: AuditRequest): Generator<LogRowPage> {
      yield answer.page;
      for (let answers = 1; answers < answersMax && !answer.page.isLast; answers++) {
        answer = ask({ ...first, after: engine.headLogId });
        yield answer.page;
      }
    }
    this.replay(pages(request));
    this.compare(request, answer);
  }

  /** Replays pages of the log, or parts of them. An entry that cannot be replayed ends the audit, because nothing can be compared then. */
  replay(pages: Iterable<LogRowPage>): void {
    try {
      this.#engine.replay(pages);
    } catch (error) {
      // A full disk is no fault of the entry.
      if (!(error instanceof ReplayError) || isStorageFull(error)) throw error;
      this.#report({ table: "log", key: `${error.logId}`, problem: error.message });
      this.#set({ isDone: true });
    }
  }

  /** Compares the tables with the digest, rows or cells of an answer, whose entries must have been replayed. */
  compare({ range, row }: AuditRequest, { digest, rows, cells }: AuditAnswer): void {
    if (this.#progress.isDone) return;
    if (row !== undefined && cells !== undefined) {
      this.#compareRow(range.table, row, cells ?? undefined);
      const pending = this.#progress.pending.slice(1);
      this.#set({ pending });
      if (pending.length === 0) this.#advance(this.#progress.pendingRows);
    } else if (rows !== undefined) {
      const pending = this.#differingKeys(range, rows);
      this.#set({ pending, pendingRows: rows.length });
      if (pending.length === 0) this.#advance(rows.length);
    } else if (digest !== undefined) {
      this.#set({ to: digest.to });
      const own = digestOf(this.#sql, { ...range, to: digest.to });
      if (own.hash === digest.hash) this.#advance(digest.rows);
      else this.#set({ wantsRows: true });
    }
  }

  /**
   * Adds the volumes of the next accounts of the copy to the totals. If no row differs, the totals are those of the ledger,
   * too.
   */
  sum(accountsMax: number): void {
    const accounts = this.#sql
      .all<{ id: number }>(
        "SELECT id FROM account WHERE id > ? ORDER BY id LIMIT ? + 0",
        this.#progress.summedAccount,
        accountsMax,
      )
      .map(({ id }) => id);
    const totals = this.#totalsWith(accounts);
    const last = accounts.at(-1);
    this.#set({ totals, ...(last === undefined ? {} : { summedAccount: last }) });
    if (accounts.length === accountsMax) return;
    for (const { input, output } of totals) {
      assert(input === output, "what accounts have received is what others have sent");
    }
    this.#set({ isDone: true });
  }

  /** The totals so far plus the volumes of these accounts. */
  #totalsWith(accounts: readonly number[]): AuditTotals[] {
    const names = new Map(
      this.#sql
        .all<{ id: number; name: string }>("SELECT id, name FROM asset")
        .map(({ id, name }) => [id, name]),
    );
    const totals = new Map(this.#progress.totals.map((total) => [total.asset, total]));
    for (const { holdings } of this.#volumes.batches(accounts, NOW)) {
      for (const { asset: id, input, output } of holdings) {
        const asset = names.get(id) ?? "";
        const total = totals.get(asset) ?? { asset, input: 0n, output: 0n };
        totals.set(asset, { asset, input: total.input + input, output: total.output + output });
      }
    }
    return [...totals.values()];
  }

  get #table(): TableName {
    return TABLE_NAMES[this.#progress.table] ?? "ledger";
  }

  #set(change: Partial<AuditProgress>): void {
    this.#progress = { ...this.#progress, ...change };
  }

  #advance(count: number): void {
    const { table, to, rows } = this.#progress;
    const counted = { ...rows, [this.#table]: (rows[this.#table] ?? 0) + count };
    this.#set({ rows: counted, wantsRows: false });
    if (to !== undefined) this.#set({ after: to });
    else if (table + 1 < TABLE_NAMES.length) this.#set({ table: table + 1, after: undefined });
    else this.#set({ isCompared: true });
  }

  #keyBehind(after: Key | undefined, rows: number): Key | undefined {
    return keyBehind(this.#sql, { table: this.#table, after, to: undefined }, rows);
  }

  /** The keys of rows that differ between the ledger and the copy, at most `DIFFERENCES_MAX`. */
  #differingKeys(range: TableRange, stored: readonly RowDigest[]): Key[] {
    const unseen = new Map(stored.map(({ key, hash }) => [key.join(","), { key, hash }]));
    const differing: Key[] = [];
    for (const { key, hash } of rowDigestsOf(this.#sql, range)) {
      const text = key.join(",");
      if (unseen.get(text)?.hash !== hash) differing.push(key);
      unseen.delete(text);
    }
    return [...differing, ...Array.from(unseen.values(), ({ key }) => key)].slice(
      0,
      DIFFERENCES_MAX,
    );
  }

  #compareRow(table: TableName, key: Key, stored: string | undefined): void {
    const place = { table, key: key.join(",") };
    const expected = cellsAt(this.#sql, table, key);
    if (stored === expected) return;
    if (stored === undefined) this.#report({ ...place, problem: "the row is missing" });
    else if (expected === undefined) {
      this.#report({ ...place, problem: "no log entry makes this row" });
    } else {
      for (const difference of differingColumns(table, stored, expected)) {
        this.#report({ ...place, problem: "the row is not what the log says", ...difference });
      }
    }
  }

  #report(difference: AuditDifference): void {
    const { differences } = this.#progress;
    if (differences.length < DIFFERENCES_MAX)
      this.#set({ differences: [...differences, difference] });
  }
}

/** Parses progress from the text of `stringifyJson`. */
export function parseProgress(text: string): AuditProgress {
  const stored = parseJson(text) as StoredProgress; // written by the audit
  return {
    ...stored,
    after: stored.after ?? undefined,
    to: stored.to ?? undefined,
    totals: stored.totals.map(({ asset, input, output }) => ({
      asset,
      input: BigInt(input),
      output: BigInt(output),
    })),
  };
}

/** Progress as `parseJson` gives it: small integers are numbers. */
interface StoredProgress extends Omit<AuditProgress, "totals"> {
  readonly totals: readonly {
    readonly asset: string;
    readonly input: number | bigint;
    readonly output: number | bigint;
  }[];
}

/** Entries are replayed with their own dates, so that no clock is needed. */
const noClock: Clock = () => {
  throw new Error("an audit has no clock");
};
