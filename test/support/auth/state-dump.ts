import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The stored data of a stopped server, in which tests search for secrets. */
export interface StateDump {
  readonly files: readonly string[];
  has(text: string): boolean;
}

/**
 * Reads the data of a state folder twice: each file as bytes, which include deleted data that is not yet overwritten, and each
 * database row by row, because a value that is longer than a page is in several pieces in its file. The files are those of D1,
 * of Durable Objects, of queues, of workflows and of objects in buckets.
 */
export function dumpState(folder: string): StateDump {
  const files = filesOf(folder);
  const contents = files.map((path) => readFileSync(path));
  const values = files.filter(isDatabase).flatMap(valuesOf);
  contents.push(Buffer.from(values.join("\n"), "latin1"));
  return {
    files,
    has: (text) =>
      FORMS.some((form) => {
        const bytes = Buffer.from(text, form);
        return contents.some((content) => content.includes(bytes));
      }),
  };
}

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());

const isDatabase = (path: string): boolean => path.endsWith(".sqlite");

/** V8 writes texts outside of Latin-1 in two bytes a character. */
const FORMS = ["utf8", "utf16le"] as const;

/** All values of a database, with a character for each byte. What a virtual table holds stands in the tables behind it. */
function valuesOf(path: string): string[] {
  const db = new DatabaseSync(path, { readBigInts: true });
  try {
    const tables = db
      .prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL %'",
      )
      .all();
    return tables.flatMap(({ name }) =>
      db
        .prepare(`SELECT * FROM "${String(name)}"`)
        .all()
        .flatMap((row) => Object.values(row).map(toBytes)),
    );
  } finally {
    db.close();
  }
}

const toBytes = (value: unknown): string =>
  Buffer.from(value instanceof Uint8Array ? value : String(value)).toString("latin1");

/** The rows of a table in the only database of a folder that has the table. */
export function rowsOf(folder: string, table: string): Record<string, unknown>[] {
  return filesOf(folder)
    .filter(isDatabase)
    .flatMap((path) => {
      const db = new DatabaseSync(path);
      try {
        const isThere = db.prepare("SELECT 1 FROM sqlite_master WHERE name = ?").get(table);
        return isThere === undefined ? [] : db.prepare(`SELECT * FROM "${table}"`).all();
      } finally {
        db.close();
      }
    });
}
