import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { drizzle } from "drizzle-orm/d1";
import type { Database } from "#platform/db/database.ts";

/** The bytes of the database. */
const SIZE = "SELECT page_count * page_size AS size FROM pragma_page_count, pragma_page_size";

/** A statement of `NodeD1` with its parameters. */
interface Prepared {
  readonly text: string;
  readonly params: readonly SQLInputValue[];
}

/**
 * D1 in memory, in the process of the test. Each call is one step, and the test can simulate a caller that is killed before or
 * after it.
 */
export class NodeD1 {
  /** The content of an empty database after the migrations of the product, once there was one. */
  static #migrated: Uint8Array | undefined;
  readonly #sqlite = new DatabaseSync(":memory:");
  /** Prepared statements by their text: preparing one takes longer than running it on a few rows. */
  readonly #statements = new Map<string, StatementSync>();
  /** Called before and after each database call. An error that it throws reaches the caller. */
  onStep: (when: "before" | "after") => void = () => undefined;

  /** Called before each statement that runs in a step. */
  onStatement: (text: string, params: readonly SQLInputValue[]) => void = () => undefined;

  /** Runs statements without making a step. */
  exec(text: string): void {
    this.#sqlite.exec(text);
  }

  /** Runs a statement without making a step; returns its rows. */
  rows(text: string, ...params: SQLInputValue[]): Record<string, unknown>[] {
    return this.#sqlite.prepare(text).all(...params);
  }

  /** Applies the migrations of the product to a database that is empty. */
  migrate(): void {
    NodeD1.#migrated ??= migratedContent();
    this.#sqlite.deserialize(NodeD1.#migrated); // It ends all prepared statements.
    this.#statements.clear();
  }

  /** Allows no further pages, and writes until there is no room for a row of any of the given statements. */
  fill(...inserts: readonly string[]): void {
    const [row] = this.rows("PRAGMA page_count");
    this.exec(`PRAGMA max_page_count = ${String(row?.["page_count"])}`);
    for (const insert of inserts) {
      const statement = this.#sqlite.prepare(insert);
      for (;;) {
        try {
          statement.run();
        } catch (error) {
          if (error instanceof Error && error.message.includes("full")) break;
          throw error;
        }
      }
    }
  }

  get db(): Database {
    return drizzle(this.binding);
  }

  get binding(): D1Database {
    // Drizzle uses only these members of a D1 binding.
    const binding = {
      prepare: (text: string) => this.#statement({ text, params: [] }),
      batch: async (statements: readonly { readonly prepared: Prepared }[]) =>
        this.#step(() => statements.map(({ prepared }) => this.#all(prepared))),
    };
    return binding as unknown as D1Database;
  }

  #statement(prepared: Prepared) {
    return {
      prepared,
      bind: (...params: SQLInputValue[]) => this.#statement({ ...prepared, params }),
      all: async () => this.#step(() => this.#all(prepared)),
      run: async () => this.#step(() => this.#all(prepared)),
      raw: async () => this.#step(() => this.#arrays(prepared)),
    };
  }

  #all({ text, params }: Prepared) {
    this.onStatement(text, params);
    const before = this.#totalChanges();
    const results = this.#prepare(text, false).all(...params);
    const changes = this.#totalChanges() - before;
    const sizeOf = (): number => Number(this.#prepare(SIZE, false).get()?.["size"]);
    const meta = {
      changes,
      get size_after() {
        return sizeOf();
      },
    };
    return { success: true, results, meta };
  }

  /** The rows of a query as arrays, because columns of two tables may have the same name. */
  #arrays({ text, params }: Prepared) {
    this.onStatement(text, params);
    return this.#prepare(text, true).all(...params);
  }

  #totalChanges(): number {
    return Number(this.#prepare("SELECT total_changes() AS count", false).get()?.["count"]);
  }

  #prepare(text: string, asArrays: boolean): StatementSync {
    const key = `${asArrays ? "arrays" : "rows"} ${text}`;
    const known = this.#statements.get(key);
    if (known !== undefined) return known;
    const statement = this.#sqlite.prepare(text);
    statement.setReturnArrays(asArrays);
    this.#statements.set(key, statement);
    return statement;
  }

  /** Runs a call in one transaction, as D1 does. */
  #step<T>(work: () => T): T {
    this.onStep("before");
    this.#sqlite.exec("BEGIN");
    let result: T;
    try {
      result = work();
      this.#sqlite.exec("COMMIT");
    } catch (error) {
      // SQLite may already have ended the transaction by itself, for example because it found no room.
      if (this.#sqlite.isTransaction) this.#sqlite.exec("ROLLBACK");
      throw error;
    }
    this.onStep("after");
    return result;
  }
}

/** Applies the migrations of the product to a database of its own, which takes a while for more than a hundred statements. */
function migratedContent(): Uint8Array {
  const sqlite = new DatabaseSync(":memory:");
  const folder = resolve(import.meta.dirname, "../../../migrations");
  for (const name of readdirSync(folder).toSorted()) {
    if (name.endsWith(".sql")) sqlite.exec(readFileSync(resolve(folder, name), "utf8"));
  }
  return sqlite.serialize();
}
