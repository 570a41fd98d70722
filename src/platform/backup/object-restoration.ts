import { type CopiedRow, quoted } from "./copied-table.ts";
import type { FileProgress, RestoredFiles, SavedFilePiece, WantedFile } from "./restored-files.ts";
import { insertRows } from "./restored-rows.ts";
import { AppError } from "#platform/errors.ts";
import { parseColumns, stringifyJson } from "#platform/json.ts";
import { asResult, type Result } from "#platform/result.ts";
import { first, type Sql } from "#platform/sql/sql.ts";
import {
  hasSteps,
  isBeingRestored,
  restoredName,
  revealSteps,
  tableNames,
  type TableSteps,
} from "#platform/sql/table-steps.ts";

/** A table of a saved object. */
export interface SavedObjectTable {
  readonly name: string;
  /** The columns of a saved row, in order. */
  readonly columns: readonly string[];
  /** The number of its rows. */
  readonly rows: number;
}

/** When the parts of a backup were read. */
export interface BackupMoment {
  /** The moment as of which the database was copied, in milliseconds since the epoch. Objects were read later. */
  readonly databaseMs: number;
}

/** A step by which an object comes back. `restoration` is the id of the restoration of the whole backup. */
export type ObjectRestoreStep =
  | {
      readonly kind: "begin";
      readonly restoration: string;
      /** The step of the saved tables, see `TableSteps`; 0 for an object without tables. */
      readonly step: number;
      readonly tables: readonly SavedObjectTable[];
    }
  | {
      readonly kind: "rows";
      readonly restoration: string;
      readonly table: string;
      /** How many rows of the table come before these. */
      readonly after: number;
      readonly rows: readonly CopiedRow[];
    }
  | ({ readonly kind: "file"; readonly restoration: string } & WantedFile)
  | ({ readonly kind: "piece"; readonly restoration: string } & SavedFilePiece)
  | {
      readonly kind: "end";
      readonly restoration: string;
      /** The largest ids that tables have given away, where they exceed those of their rows. */
      readonly counters: Readonly<Record<string, number>>;
      readonly moment: BackupMoment;
    };

/** How far an object has come. */
export interface ObjectProgress {
  /** Whether the object is back. */
  readonly isEnded: boolean;
  /** How many rows each table has; nothing at the end. */
  readonly rows: Readonly<Record<string, number>>;
}

/** What each step gives. */
export interface RestoreAnswers {
  readonly begin: ObjectProgress;
  readonly rows: undefined;
  readonly file: FileProgress;
  readonly piece: undefined;
  readonly end: undefined;
}

/** What makes the rows of an object fit the database and the ledgers of their backup, which are earlier or later than it. */
export interface Settlement {
  /** Changes the rows. It may be called again only with the rows as they were before. */
  readonly change: () => void;
  /** Lets the object work, by an alarm: those of the saved object are not in the backup. */
  readonly wake: () => void;
}

/** An object whose rows come back. */
interface RestoredParts {
  readonly sql: Sql;
  readonly tables: TableSteps;
  /** Reads what the rows have to fit. They are complete, and the tables are those of this version. */
  readonly settle: (moment: BackupMoment) => Promise<Settlement>;
  /** The files that the object keeps beside its tables; absent where it keeps none. */
  readonly files?: RestoredFiles;
}

/** A JSON list of columns, and numbers of rows: of a table in the backup, and of those that have come. */
const CREATE_PROGRESS = `CREATE TABLE copy_restored (
  name TEXT PRIMARY KEY, columns TEXT NOT NULL, wanted INTEGER NOT NULL, rows INTEGER NOT NULL
) STRICT, WITHOUT ROWID`;
const CREATE_RESTORATION = `CREATE TABLE copy_restoration (
  one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, ended INTEGER NOT NULL
) STRICT`;

const NO_FILE: FileProgress = { state: "left-out", pieces: 0, pieceBytes: 0 };

/** The restoration that the storage notes. */
type RestorationRow = { id: string; ended: number };

/**
 * Brings the tables of an object back from a backup:
 *
 *     begin ─▶ empty tables, as they were at the step of the saved ones; the object counts as unused
 *     rows  ─▶ one batch after the other, each in a transaction with the number of rows that are there
 *     file, piece ─▶ bytes of the files that the rows name, where the object keeps them
 *     end   ─▶ all rows are there ─▶ later steps of the tables ─▶ settle: what the rows have to fit is read
 *              ─▶ ONE transaction fits the rows, sets the alarm, and notes the end
 *
 * Each step may come twice, and the process may end between any two: nothing but the storage has to be kept between two steps.
 */
export class ObjectRestoration {
  readonly #sql: Sql;
  readonly #tables: TableSteps;
  readonly #settle: RestoredParts["settle"];
  readonly #files: RestoredFiles | undefined;

  constructor({ sql, tables, settle, files }: RestoredParts) {
    this.#sql = sql;
    this.#files = files;
    this.#tables = tables;
    this.#settle = settle;
  }

  /** Does a step, and returns what `RestoreAnswers` says, or its failure: `CONFLICT`, or `VALIDATION` for rows that do not fit. */
  step(step: ObjectRestoreStep): Promise<Result<RestoreAnswers[ObjectRestoreStep["kind"]]>> {
    return asResult(this.#do(step));
  }

  async #do(step: ObjectRestoreStep): Promise<RestoreAnswers[ObjectRestoreStep["kind"]]> {
    switch (step.kind) {
      case "begin":
        return this.#sql.transaction(() => this.#begin(step));
      case "rows":
        this.#sql.transaction(() => this.#add(step));
        return undefined;
      case "file":
        return this.#sql.transaction(() => this.#beginFile(step));
      case "piece":
        this.#sql.transaction(() => this.#addPiece(step));
        return undefined;
      case "end":
        return this.#end(step);
    }
  }

  #begin({
    restoration,
    step,
    tables,
  }: Extract<ObjectRestoreStep, { kind: "begin" }>): ObjectProgress {
    const known = this.#known();
    if (known?.id === restoration) return this.#progress(known);
    const names = tableNames(this.#sql);
    if (known !== undefined || names.some((name) => this.#hasRows(name))) {
      throw new AppError(
        "CONFLICT",
        "the object holds something already: a backup is restored into an empty deployment",
      );
    }
    if (step > 0) {
      for (const name of names) this.#sql.all(`DROP TABLE ${quoted(name)}`);
      this.#tables.makeEmptyAt(this.#sql, step);
    }
    this.#assertTables(tables);
    this.#sql.all(CREATE_RESTORATION);
    this.#sql.all("INSERT INTO copy_restoration (one, id, ended) VALUES (1, ?, 0)", restoration);
    this.#sql.all(CREATE_PROGRESS);
    for (const { name, columns, rows } of tables) {
      this.#sql.all(
        "INSERT INTO copy_restored (name, columns, wanted, rows) VALUES (?, ?, ?, 0)",
        name,
        stringifyJson(columns),
        rows,
      );
    }
    return this.#progress({ id: restoration, ended: 0 });
  }

  /** The progress of steps is in no object before its first step, so that its only row tells no object from an unused one. */
  #hasRows(name: string): boolean {
    return (
      name !== "migration" && this.#sql.all(`SELECT 1 FROM ${quoted(name)} LIMIT 1`).length > 0
    );
  }

  /** Throws `CONFLICT` unless the saved tables have the columns of those that were made. */
  #assertTables(tables: readonly SavedObjectTable[]): void {
    const made = new Set([...tableNames(this.#sql), "migration"]);
    for (const { name, columns } of tables) {
      const known = new Set(
        this.#sql
          .all<{ name: string }>("SELECT name FROM pragma_table_info(?)", restoredName(name))
          .map((column) => column.name),
      );
      const other = columns.find((column) => column !== "rowid" && !known.has(column));
      if (!made.has(name) || other !== undefined) {
        throw new AppError(
          "CONFLICT",
          `objects of this class have no table '${name}'${other === undefined ? "" : ` with the column '${other}'`}`,
        );
      }
    }
  }

  #add({ restoration, table, after, rows }: Extract<ObjectRestoreStep, { kind: "rows" }>): void {
    if (this.#assertUnderWay(restoration).ended === 1) return;
    const [found] = this.#sql.all<{ columns: string; wanted: number; rows: number }>(
      "SELECT columns, wanted, rows FROM copy_restored WHERE name = ?",
      table,
    );
    if (found === undefined) {
      throw new AppError("CONFLICT", `the saved object has no table '${table}'`);
    }
    if (after + rows.length <= found.rows) return; // They have come before.
    if (after !== found.rows || after + rows.length > found.wanted) {
      throw new AppError(
        "CONFLICT",
        `the table '${table}' has ${found.rows} of ${found.wanted} rows: those behind come next`,
      );
    }
    const columns = parseColumns(found.columns) as readonly string[]; // `#begin` has written them
    const target = { name: restoredName(table), columns, key: [], inexact: [], isCounted: false };
    for (const { text, params = [] } of insertRows(target, columns, rows)) {
      this.#sql.all(text, ...params);
    }
    this.#sql.all("UPDATE copy_restored SET rows = ? WHERE name = ?", after + rows.length, table);
  }

  /** Says how far a file has come. Those of an object that keeps none, or is back, are left out. */
  #beginFile({ restoration, ...wanted }: Extract<ObjectRestoreStep, { kind: "file" }>) {
    const isOver = this.#assertUnderWay(restoration).ended === 1;
    const isWanted = !isOver && this.#files !== undefined;
    return isWanted ? this.#files.begin(wanted) : NO_FILE;
  }

  #addPiece({ restoration, ...piece }: Extract<ObjectRestoreStep, { kind: "piece" }>): void {
    if (this.#assertUnderWay(restoration).ended === 1) return;
    if (this.#files === undefined) {
      throw new AppError("CONFLICT", "objects of this class keep no files");
    }
    this.#files.add(piece);
  }

  async #end({
    restoration,
    counters,
    moment,
  }: Extract<ObjectRestoreStep, { kind: "end" }>): Promise<undefined> {
    if (this.#assertUnderWay(restoration).ended === 1) return;
    if (isBeingRestored(this.#sql)) this.#sql.transaction(() => this.#complete(counters));
    if (hasSteps(this.#sql)) this.#tables.migrateToEnd(this.#sql);
    const { change, wake } = await this.#settle(moment);
    // Two calls may have come to this point. Without a wait, the second one finds the end of the first one.
    if (this.#assertUnderWay(restoration).ended === 1) return;
    this.#sql.transaction(() => {
      change();
      this.#sql.all("UPDATE copy_restoration SET ended = 1");
      this.#sql.all("DROP TABLE copy_restored");
    });
    wake();
  }

  /** Makes the rows those of the object, when all have come. */
  #complete(counters: Readonly<Record<string, number>>): void {
    const [lacking] = this.#sql.all<{ name: string; wanted: number; rows: number }>(
      "SELECT name, wanted, rows FROM copy_restored WHERE rows <> wanted LIMIT 1",
    );
    if (lacking !== undefined) {
      const { name, wanted, rows } = lacking;
      throw new AppError("CONFLICT", `the table '${name}' has ${rows} of ${wanted} rows`);
    }
    for (const [name, last] of Object.entries(counters)) {
      this.#sql.all("DELETE FROM sqlite_sequence WHERE name = ?", name);
      this.#sql.all("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", name, last);
    }
    revealSteps(this.#sql);
  }

  #known(): RestorationRow | undefined {
    const exists = this.#sql.all(
      "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'copy_restoration'",
    );
    return exists.length === 0
      ? undefined
      : first(this.#sql.all<RestorationRow>("SELECT id, ended FROM copy_restoration"));
  }

  #assertUnderWay(restoration: string): RestorationRow {
    const known = this.#known();
    if (known?.id === restoration) return known;
    throw new AppError("CONFLICT", "no restoration of the object has begun");
  }

  #progress({ ended }: RestorationRow): ObjectProgress {
    if (ended === 1) return { isEnded: true, rows: {} };
    const rows = this.#sql.all<{ name: string; rows: number }>(
      "SELECT name, rows FROM copy_restored",
    );
    return { isEnded: false, rows: Object.fromEntries(rows.map((row) => [row.name, row.rows])) };
  }
}
