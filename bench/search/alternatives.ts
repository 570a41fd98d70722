import { factsOf, transactionEvent } from "./objects.ts";
import { objectsOfLedgerEvent } from "#modules/search/core/indexed.ts";
import { stringifyJson } from "#platform/json.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { first } from "#platform/sql/sql.ts";

/** One way to hold the index, and what it took. */
export interface AlternativeFigures {
  readonly name: string;
  readonly bytes: number;
  readonly rows: number;
}

interface Alternative {
  readonly name: string;
  readonly statements: readonly string[];
  /** The statements that insert a batch of documents, each a list of id and tokens. */
  readonly inserts: readonly string[];
  /** Rows of tables and indexes besides the full-text table that one document writes. */
  readonly billed: number;
}

const ID = "value ->> 0";
const TOKENS = "value ->> 1";

/**
 * Ways that were weighed: one database for all ledgers, with columns for exact terms or with a document for each object, against the
 * full-text table in use, in batches of different sizes.
 */
const ALTERNATIVES: readonly (Alternative & { readonly batch: number })[] = [
  {
    name: "D1: FTS5 with its text, columns for reference and amount",
    batch: 10,
    billed: 3,
    statements: [
      "CREATE TABLE doc (id INTEGER PRIMARY KEY, ledger INTEGER, reference TEXT, amount TEXT)",
      "CREATE INDEX doc_reference ON doc (reference)",
      "CREATE INDEX doc_amount ON doc (amount)",
      "CREATE VIRTUAL TABLE text USING fts5(tokens)",
    ],
    inserts: [
      `INSERT INTO doc SELECT ${ID}, 1, value ->> 2, value ->> 3 FROM json_each(?)`,
      `INSERT INTO text (rowid, tokens) SELECT ${ID}, ${TOKENS} FROM json_each(?)`,
    ],
  },
  ...[1, 10, 64, 256].map((batch) => ({
    name: `FTS5 without content, positions and sizes, ${batch} at once`,
    batch,
    billed: 0,
    statements: [
      "CREATE VIRTUAL TABLE text USING fts5(tokens, content = '', detail = none, columnsize = 0, tokenize = \"ascii tokenchars '-_.@/:+#=%<>~&$'\")",
    ],
    inserts: [`INSERT INTO text (rowid, tokens) SELECT ${ID}, ${TOKENS} FROM json_each(?)`],
  })),
];

/** Measures the alternatives with `size` transactions. Rows count what is written to all tables, those inside of FTS5 included. */
export function* measureAlternatives(size: number): Generator<AlternativeFigures> {
  for (const { name, batch, statements, inserts, billed } of ALTERNATIVES) {
    const sql = new NodeSql();
    for (const statement of statements) sql.all(statement);
    const before = changesOf(sql);
    for (let id = 1; id <= size; id += batch) {
      const rows = Array.from({ length: Math.min(batch, size - id + 1) }, (_, at) =>
        rowOf(id + at),
      );
      sql.transaction(() => {
        for (const statement of inserts) sql.all(statement, stringifyJson(rows));
      });
    }
    // SQLite counts a document of the full-text table once for itself, and once for each row inside.
    const documents = inserts.length * size;
    const inside = changesOf(sql) - before - documents;
    yield { name, bytes: bytesOf(sql) / size, rows: billed + inside / size };
    sql.close();
  }
}

function rowOf(id: number): unknown[] {
  const { reference, amount } = factsOf(id);
  const [transaction] = objectsOfLedgerEvent(transactionEvent(id));
  return [id, transaction?.tokens.join(" "), reference, `${amount}`];
}

/** The rows that a connection has inserted, updated or deleted. */
export const changesOf = (sql: NodeSql): number =>
  first(sql.all<{ count: number }>("SELECT total_changes() AS count")).count;

/** The size of a database. */
export const bytesOf = (sql: NodeSql): number =>
  first(
    sql.all<{ bytes: number }>(
      "SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
    ),
  ).bytes;
