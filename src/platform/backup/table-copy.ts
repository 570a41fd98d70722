import {
  assertKey,
  COLUMNS_QUERY,
  type CopiedRow,
  type CopiedTable,
  SCHEMA_TEXT,
  toCopiedRow,
  toTables,
} from "./copied-table.ts";
import type { CopyDatabase, CopyStatement } from "./copy-database.ts";
import {
  ABANDONED_MS,
  CREATE_CHANGES,
  CREATE_STATE,
  type CopyState,
  DROP_TABLES,
  IS_TRIGGER,
  isAbandoned,
  isAbsentOrTaken,
  isRefusedBy,
  TRIGGER_COUNT,
} from "./copy-state.ts";
import {
  changedRows,
  changedSizes,
  counterQuery,
  dropTriggers,
  pageQuery,
  triggersOf,
} from "./copy-statements.ts";
import { present } from "#platform/assert.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import type { SqlRow } from "#platform/sql/sql.ts";

/** Most rows of one page. */
const PAGE_ROWS_MAX = 5000;
/** Most changes whose rows one answer has. */
const ANSWER_CHANGES_MAX = 1000;
/** Approximate most bytes of one page. A single row may exceed it. */
const PAGE_BYTES_MAX = 2_000_000;
/** Most changes that the end of a copy reads, in the transaction in which the database stands still. */
const LAST_CHANGES_MAX = 500;
/** Most changes that wait to be read. A database that changes faster than it is copied is not slowed down by its copy for ever. */
const CHANGES_MAX = 1_000_000;

/** A copy that has begun. */
export interface BegunCopy {
  readonly id: string;
  readonly tables: readonly CopiedTable[];
}

/** Some rows of a table, in the order of their keys. `next` is the key after which the next page begins; absent at the end of the table. */
export interface CopiedPage {
  readonly columns: readonly string[];
  readonly key: readonly string[];
  readonly rows: readonly CopiedRow[];
  readonly next?: string;
}

/** A row that has changed since the copy began: its key as a JSON list, and its values of now; undefined if it is gone. */
export interface ChangedRow {
  readonly table: string;
  readonly key: string;
  readonly row: CopiedRow | undefined;
}

/** Rows that have changed, complete up to the change `after`. `left` is the number of later changes. */
export interface CopiedChanges {
  readonly rows: readonly ChangedRow[];
  readonly after: number;
  readonly left: number;
}

/** The last changes of a copy, and the largest ids that tables have given away, where they exceed those of their rows. */
export interface CopyEnd {
  readonly rows: readonly ChangedRow[];
  readonly counters: Readonly<Record<string, number>>;
}

/**
 * A copy of a SQLite database that is written to meanwhile:
 *
 *     begin     ─▶ triggers note the key of each row that changes in copy_change
 *     page      ─▶ the rows of each table by their keys, page by page      │ each call is a transaction
 *     changes   ─▶ the rows whose keys were noted, as they are now         │ of its own
 *     changes … ─▶ until few are left
 *     end       ─▶ ONE transaction reads the rows of the last changes, and drops the triggers and copy_change
 *
 * What a reader has then is the database at the moment of `end`: a page may show a row of any moment between begin and end, but each change
 * of it after that moment is noted, and a row that is read because of a change is at least as new as the change. The method is that of online
 * changes of schemas and of change data capture.
 *
 * One copy is made at a time. Its state is in the database (`copy_state`), so that any process goes on with it. A copy from which nothing was
 * taken for ten minutes may be ended by the next one, and `endAbandoned` ends it in any case, so that triggers never stay. Nothing of a copy
 * that broke off can be used.
 *
 * A `REPLACE` that removes a row with another key notes only the new row. Tables with more than one unique index must not be written so.
 */
export class TableCopy {
  readonly #database: CopyDatabase;
  readonly #leftOut: ReadonlySet<string>;
  #tables: readonly CopiedTable[] | undefined;

  /** `leftOut` names tables that are not copied. */
  constructor(database: CopyDatabase, leftOut: ReadonlySet<string> = new Set()) {
    this.#database = database;
    this.#leftOut = leftOut;
  }

  /**
   * Begins a copy. `note` is a statement that records the beginning, in the same transaction, after a statement that has changed a row. Throws
   * `CONFLICT` while another copy is under way.
   */
  async begin(nowMs: number, note: readonly CopyStatement[] = []): Promise<BegunCopy> {
    const before = await this.#readState();
    if (before !== undefined) {
      if (!isAbandoned(before, nowMs)) throw ANOTHER_COPY();
      await this.#abandon(before);
    }
    const [[schema] = [], columns = []] = await this.#database.batch([
      { text: `SELECT ${SCHEMA_TEXT} AS text` },
      { text: COLUMNS_QUERY },
    ]);
    const tables = this.#copied(columns);
    const id = newId();
    try {
      await this.#database.batch([
        { text: CREATE_STATE },
        { text: CREATE_CHANGES },
        {
          text: `INSERT INTO copy_state (id, heartbeat_ms, holds, definitions) SELECT ?, ?, ${SCHEMA_TEXT} = ?, ${SCHEMA_TEXT}`,
          params: [id, nowMs, present(schema, "a query without a table has a row")["text"] ?? null],
        },
        ...tables.flatMap(triggersOf),
        { text: `UPDATE copy_state SET triggers = ${TRIGGER_COUNT}` },
        ...note,
      ]);
    } catch (error) {
      // Another copy, or a migration, came between the reads above and this batch.
      if (isAbsentOrTaken(error) || isRefusedBy(error)) throw ANOTHER_COPY(error);
      throw error;
    }
    this.#tables = tables;
    return { id, tables };
  }

  /** The names of the tables that are copied, in their order. */
  async tableNames(): Promise<string[]> {
    const tables = await this.#allTables();
    return tables.map(({ name }) => name);
  }

  /** Reads the rows of a table behind a key, the first ones without a key. Throws `CONFLICT` for a copy that was ended. */
  async page(
    copy: CopyCall,
    { table: name, after }: { readonly table: string; readonly after?: string | undefined },
  ): Promise<CopiedPage> {
    const table = await this.#tableOf(name);
    if (after !== undefined) assertKey(table, after);
    const limits = { rowsMax: PAGE_ROWS_MAX, bytesMax: PAGE_BYTES_MAX, after };
    const [rows = []] = await this.#call(copy, [pageQuery(table, limits)]);
    const copied = rows.map((row) => toCopiedRow(table, row));
    const last = rows.at(-1);
    const found = Number(last?.["found"] ?? 0);
    // A row that is added behind the last one is noted, so that a table to which rows are added all the time has an end.
    const isEnd = found < PAGE_ROWS_MAX && rows.length === found;
    const page = { columns: table.columns, key: table.key, rows: copied };
    return last === undefined || isEnd ? page : { ...page, next: String(last["key"]) };
  }

  /**
   * Reads the rows that have changed after the change `after`, 0 at first, and forgets the changes up to it, whose rows the caller has. Throws
   * `CONFLICT` for a copy that was ended, and ends one that is hopelessly behind.
   */
  async changes(copy: CopyCall, after: number): Promise<CopiedChanges> {
    const [noted = [], [last] = []] = await this.#call(copy, [
      {
        text: "SELECT seq, tbl FROM copy_change WHERE seq > ? ORDER BY seq LIMIT ? + 0",
        params: [after, ANSWER_CHANGES_MAX],
      },
      { text: "SELECT coalesce(max(seq), 0) AS seq FROM copy_change" },
    ]);
    const newest = Math.max(after, Number(last?.["seq"] ?? 0));
    if (newest - after > CHANGES_MAX) {
      await this.abandon(copy.id);
      throw new AppError(
        "CONFLICT",
        `the copy was given up, because ${newest - after} rows have changed faster than they were read; begin a new one when the deployment has less to do`,
      );
    }
    const tables = await this.#tablesOf(new Set(noted.map(({ tbl }) => String(tbl))));
    const upTo = await this.#upTo(copy, { after, noted, tables });
    const answers = await this.#call(copy, [
      { text: "DELETE FROM copy_change WHERE seq <= ?", params: [after] },
      ...tables.map((table) => changedRows(table, { after, upTo })),
    ]);
    const rows = tables.flatMap((table, index) => toChangedRows(table, answers[index + 1]));
    return { rows, after: upTo, left: newest - upTo };
  }

  /**
   * Ends a copy whose changes were read up to `after`, and returns the last ones; undefined if too many are left, which `changes` reads
   * first. Throws `CONFLICT` for a copy that was ended, and if the tables have changed since it began.
   */
  async end(copy: CopyCall, after: number): Promise<CopyEnd | undefined> {
    const tables = await this.#allTables();
    const counted = tables.filter(({ isCounted }) => isCounted);
    const all = { after, upTo: Number.MAX_SAFE_INTEGER };
    const triggers = await this.#readTriggers();
    try {
      const answers = await this.#call(copy, [
        {
          text: "UPDATE copy_state SET holds = ((SELECT count(*) FROM copy_change WHERE seq > ?) <= ?)",
          params: [after, LAST_CHANGES_MAX],
        },
        {
          text: `UPDATE copy_state SET is_same = (definitions = ${SCHEMA_TEXT} AND triggers = ${TRIGGER_COUNT})`,
        },
        ...tables.map((table) => changedRows(table, all)),
        ...counted.map(counterQuery),
        ...dropTriggers(triggers),
        ...DROP_TABLES,
      ]);
      const rows = tables.flatMap((table, index) => toChangedRows(table, answers[index + 2]));
      const from = tables.length + 2;
      const counters = answers.slice(from, from + counted.length).flat();
      return {
        rows,
        counters: Object.fromEntries(counters.map(({ name, seq }) => [String(name), Number(seq)])),
      };
    } catch (error) {
      if (isRefusedBy(error, "copy_holds")) return undefined;
      if (!isRefusedBy(error, "copy_is_same")) throw error;
      await this.abandon(copy.id);
      throw new AppError(
        "CONFLICT",
        "the copy was given up, because the tables have changed since it began; begin a new one",
      );
    }
  }

  /** Ends a copy without its result. A copy that is no longer under way is no error. */
  async abandon(id: string): Promise<void> {
    const state = await this.#readState();
    if (state?.id === id) await this.#abandon(state);
  }

  /** Ends a copy from which nothing was taken for ten minutes. Returns the time at which the copy under way may be ended, if there is one. */
  async endAbandoned(nowMs: number): Promise<number | undefined> {
    const state = await this.#readState();
    if (state === undefined) return undefined;
    if (!isAbandoned(state, nowMs)) return nowMs + ABANDONED_MS;
    await this.#abandon(state);
    return undefined;
  }

  /** Drops the triggers and tables of a copy, unless something was taken from it since its state was read, or another process did it. */
  async #abandon({ id, heartbeatMs }: CopyState): Promise<void> {
    const triggers = await this.#readTriggers();
    try {
      await this.#database.batch([
        {
          text: "UPDATE copy_state SET is_own = (id = ? AND heartbeat_ms = ?)",
          params: [id, heartbeatMs],
        },
        ...dropTriggers(triggers),
        ...DROP_TABLES,
      ]);
    } catch (error) {
      if (!isAbsentOrTaken(error) && !isRefusedBy(error)) throw error;
    }
  }

  /** Runs statements of a copy, and notes that it is still wanted. Returns their rows. */
  async #call(
    { id, nowMs }: CopyCall,
    statements: readonly CopyStatement[],
  ): Promise<readonly (readonly SqlRow[])[]> {
    const heartbeat = {
      text: "UPDATE copy_state SET heartbeat_ms = ?, is_own = (id = ?)",
      params: [nowMs, id],
    };
    try {
      const [, ...answers] = await this.#database.batch([heartbeat, ...statements]);
      return answers;
    } catch (error) {
      if (!isAbsentOrTaken(error) && !isRefusedBy(error, "copy_is_own")) throw error;
      throw new AppError(
        "CONFLICT",
        "the copy is over: nothing was taken from it for ten minutes, or it has ended; begin a new one",
      );
    }
  }

  /** The last change whose rows, with those of all changes before it, fit into one answer. */
  async #upTo(
    copy: CopyCall,
    range: {
      readonly after: number;
      readonly noted: readonly SqlRow[];
      readonly tables: readonly CopiedTable[];
    },
  ): Promise<number> {
    const { after, noted, tables } = range;
    const upTo = Number(noted.at(-1)?.["seq"] ?? after);
    if (tables.length === 0) return upTo;
    const sizes = (
      await this.#call(
        copy,
        tables.map((table) => changedSizes(table, { after, upTo })),
      )
    )
      .flat()
      .map(({ seq, bytes }) => ({ seq: Number(seq), bytes: Number(bytes) }))
      .toSorted((a, b) => a.seq - b.seq);
    let total = 0;
    let fitting: number | undefined;
    for (const { seq, bytes } of sizes) {
      total += bytes;
      if (fitting !== undefined && total > PAGE_BYTES_MAX) return fitting;
      fitting = seq;
    }
    return upTo;
  }

  async #readState(): Promise<CopyState | undefined> {
    const [[found] = []] = await this.#database.batch([
      { text: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'copy_state'" },
    ]);
    if (found === undefined) return undefined;
    try {
      const [[row] = []] = await this.#database.batch([
        { text: "SELECT id, heartbeat_ms FROM copy_state" },
      ]);
      if (row === undefined) return undefined;
      return { id: String(row["id"]), heartbeatMs: Number(row["heartbeat_ms"]) };
    } catch (error) {
      if (isAbsentOrTaken(error)) return undefined; // The copy has ended between the two reads.
      throw error;
    }
  }

  async #readTriggers(): Promise<string[]> {
    const [rows = []] = await this.#database.batch([
      { text: `SELECT name FROM sqlite_master WHERE ${IS_TRIGGER}` },
    ]);
    return rows.map(({ name }) => String(name));
  }

  async #allTables(): Promise<readonly CopiedTable[]> {
    if (this.#tables !== undefined) return this.#tables;
    const [columns = []] = await this.#database.batch([{ text: COLUMNS_QUERY }]);
    this.#tables = this.#copied(columns);
    return this.#tables;
  }

  async #tablesOf(names: ReadonlySet<string>): Promise<readonly CopiedTable[]> {
    if (names.size === 0) return [];
    const tables = await this.#allTables();
    return tables.filter(({ name }) => names.has(name));
  }

  /** Throws `NOT_FOUND` for a table that is not copied. */
  async #tableOf(name: string): Promise<CopiedTable> {
    const [table] = await this.#tablesOf(new Set([name]));
    if (table === undefined) throw new AppError("NOT_FOUND", `there is no table '${name}'`);
    return table;
  }

  #copied(columns: readonly SqlRow[]): CopiedTable[] {
    return toTables(columns.filter(({ table }) => !this.#leftOut.has(String(table))));
  }
}

/** Which copy a call goes on with, and the time of the call, in milliseconds since the epoch. */
export interface CopyCall {
  readonly id: string;
  readonly nowMs: number;
}

const ANOTHER_COPY = (cause?: unknown): AppError =>
  new AppError(
    "CONFLICT",
    "another copy of the database is under way, or has ended less than ten minutes ago without being finished; try again later",
    cause === undefined ? {} : { cause },
  );

function toChangedRows(table: CopiedTable, rows: readonly SqlRow[] = []): ChangedRow[] {
  return rows.map((row) => ({
    table: table.name,
    key: String(row["key"]),
    row: row["exists_now"] === 1 ? toCopiedRow(table, row) : undefined,
  }));
}
