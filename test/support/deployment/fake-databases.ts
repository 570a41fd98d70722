import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { bodyOf, fakeId, type FakeAnswer, type FakeRoute, gone, NamedBody } from "./fake-answer.ts";

export const QueryBody = z.object({ sql: z.string() });

interface FakeDatabase {
  readonly name: string;
  readonly jurisdiction: string | undefined;
  readonly sql: DatabaseSync;
}

/** The D1 databases of the fake of Cloudflare's API, in memory. */
export class FakeDatabases {
  readonly #databases = new Map<string, FakeDatabase>();

  readonly routes: readonly FakeRoute[] = [
    [/^GET d1\/database$/, (_, { query }) => ({ result: this.#named(query.get("name") ?? "") })],
    [/^POST d1\/database$/, (_, { body }) => this.#create(body)],
    [/^GET d1\/database\/([\w-]+)$/, ([, id = ""]) => this.#read(id)],
    [/^DELETE d1\/database\/([\w-]+)$/, ([, id = ""]) => this.#delete(id)],
    [/^POST d1\/database\/([\w-]+)\/query$/, ([, id = ""], { body }) => this.#query(id, body)],
  ];

  get ids(): readonly string[] {
    return [...this.#databases.keys()];
  }

  state() {
    return [...this.#databases.values()].map(({ name, jurisdiction, sql }) => ({
      name,
      jurisdiction,
      migrations: hasBooks(sql) ? sql.prepare("SELECT name FROM d1_migrations").all() : [],
    }));
  }

  close(): void {
    for (const { sql } of this.#databases.values()) sql.close();
  }

  /** The databases whose name begins so, as the API filters them. */
  #named(start: string) {
    return [...this.#databases]
      .map(([uuid, { name }]) => ({ uuid, name }))
      .filter(({ name }) => name.startsWith(start));
  }

  #create(body: Buffer): FakeAnswer {
    const { name, jurisdiction } = bodyOf(NamedBody, body);
    if (this.#named(name).some((known) => known.name === name)) return { status: 400, code: 7502 };
    const uuid = fakeId();
    this.#databases.set(uuid, { name, jurisdiction, sql: new DatabaseSync(":memory:") });
    return { result: { uuid, name } };
  }

  #read(uuid: string): FakeAnswer {
    const database = this.#databases.get(uuid);
    if (database === undefined) return gone(7404);
    const { name, jurisdiction = null } = database;
    return { result: { uuid, name, jurisdiction } };
  }

  #delete(uuid: string): FakeAnswer {
    this.#databases.get(uuid)?.sql.close();
    return this.#databases.delete(uuid) ? { result: null } : gone(7404);
  }

  /** Runs statements as D1 does: all or none. */
  #query(uuid: string, body: Buffer): FakeAnswer {
    const sql = this.#databases.get(uuid)?.sql;
    if (sql === undefined) return gone(7404);
    const { sql: text } = bodyOf(QueryBody, body);
    if (isSelect(text)) return { result: [{ results: sql.prepare(text).all() }] };
    sql.exec("BEGIN");
    try {
      sql.exec(text);
      sql.exec("COMMIT");
      return { result: [{ results: [] }] };
    } catch {
      sql.exec("ROLLBACK");
      return { status: 400, code: 7500 };
    }
  }
}

/** Whether a query is one statement that only reads. */
export const isSelect = (sql: string): boolean => /^\s*SELECT\b[^;]*$/i.test(sql);

const hasBooks = (sql: DatabaseSync): boolean =>
  sql.prepare("SELECT 1 FROM sqlite_master WHERE name = 'd1_migrations'").get() !== undefined;
