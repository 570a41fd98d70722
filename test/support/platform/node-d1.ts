import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { drizzle } from "drizzle-orm/d1";
import type { Database } from "#platform/db/database.ts";

/** What a statement of `NodeD1` needs to run. */
interface Prepared {
  readonly text: string;
  readonly params: readonly SQLInputValue[];
}

/**
 * D1 in memory, in the process of the test: each call is one step, before which and after which the test can let the caller
 * be killed.
 */
export class NodeD1 {
  readonly #sqlite = new DatabaseSync(":memory:");
  /** Called before each call of the database, and after it; what it throws is what the caller gets. */
  onStep: (when: "before" | "after") => void = () => undefined;

  /** Runs statements past the steps. */
  exec(text: string): void {
    this.#sqlite.exec(text);
  }

  /** The same, and returns the rows. */
  rows(text: string, ...params: SQLInputValue[]): Record<string, unknown>[] {
    return this.#sqlite.prepare(text).all(...params);
  }

  /** Applies the migrations of the product. */
  migrate(): void {
    const folder = resolve(import.meta.dirname, "../../../migrations");
    for (const name of readdirSync(folder).toSorted()) {
      if (name.endsWith(".sql")) this.exec(readFileSync(resolve(folder, name), "utf8"));
    }
  }

  get db(): Database {
    // The members of a D1 binding that Drizzle calls.
    const binding = {
      prepare: (text: string) => this.#statement({ text, params: [] }),
      batch: async (statements: readonly { readonly prepared: Prepared }[]) =>
        this.#step(() => statements.map(({ prepared }) => this.#all(prepared))),
    };
    return drizzle(binding as unknown as D1Database);
  }

  #statement(prepared: Prepared) {
    return {
      prepared,
      bind: (...params: SQLInputValue[]) => this.#statement({ ...prepared, params }),
      all: async () => this.#step(() => this.#all(prepared)),
      run: async () => this.#step(() => this.#all(prepared)),
      raw: async () =>
        this.#step(() => this.#all(prepared).results.map((row) => Object.values(row))),
    };
  }

  #all({ text, params }: Prepared) {
    const statement = this.#sqlite.prepare(text);
    return { success: true, results: statement.all(...params), meta: {} };
  }

  /** Runs a call as D1 does: as one transaction. */
  #step<T>(work: () => T): T {
    this.onStep("before");
    this.#sqlite.exec("BEGIN");
    let result: T;
    try {
      result = work();
      this.#sqlite.exec("COMMIT");
    } catch (error) {
      this.#sqlite.exec("ROLLBACK");
      throw error;
    }
    this.onStep("after");
    return result;
  }
}
