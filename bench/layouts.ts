import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  addressOf,
  ASSET,
  compactPayload,
  fullJson,
  listPayload,
  namedPayload,
} from "./layouts/payloads.ts";
import {
  ACCOUNTS,
  generate,
  type GeneratedTransaction,
  numbers,
  START,
  WORLD,
} from "./layouts/transactions.ts";
import { migrateToEnd } from "#ledger-engine/storage/migrations.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { first, type Sql, type SqlValue } from "#platform/sql/sql.ts";
import { run } from "#scripts/lib/main.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/**
 * `node bench/layouts.ts [--size N] [--only 1,3]` compares the tables of a ledger with other layouts, on `node:sqlite`. It measures
 * statements and not the engine: no funds are checked and no hash is computed.
 */
const SIZE_STANDARD = 100_000;
const BULK = 1000;
const READS = 2000;
const PAGE = 15;

/** Rows of one table that a bulk inserts with one statement. */
interface Insert {
  readonly statement: string;
  /** The rows of a bulk, each a JSON list. */
  readonly rowsOf: (bulk: readonly GeneratedTransaction[]) => string[];
  /** The billed rows for one row: the row itself and its index entries. No partial index contains the rows. */
  readonly billed: number;
}

interface Layout {
  readonly name: string;
  /** The statements that turn the tables in use into this layout. */
  readonly changes: readonly string[];
  readonly inserts: readonly Insert[];
  /** Whether moves and payloads name accounts and assets by text. Other layouts use integers. */
  readonly namesInMoves?: boolean;
  readonly namesInPayload?: boolean;
  readonly lastVolumes: string;
  readonly page: string;
  readonly accountPage: string;
}

function insert(table: string, columns: string, rowsOf: Insert["rowsOf"]): Insert {
  const values = columns
    .split(", ")
    .map((name, index) => (name === "hash" ? `unhex(value ->> ${index})` : `value ->> ${index}`));
  const statement = `INSERT INTO ${table} (${columns}) SELECT ${values.join(", ")} FROM json_each(?)`;
  return { statement, rowsOf, billed: 1 };
}

/** The value of `place` and `lead` in a log of new transactions only. */
const PLACE = 0;

/** Transactions with their log entries. `columns` are the columns between the id and the hash. */
const loggedTxs = (
  columns: string,
  valuesOf: (transaction: GeneratedTransaction) => readonly (string | number)[],
): Insert =>
  insert("tx", `id, ${columns}, hash`, (bulk) =>
    bulk.map((transaction) => {
      const values = valuesOf(transaction).map((value) => JSON.stringify(value));
      return `[${transaction.id},${values.join(",")},"${randomHash()}"]`;
    }),
  );

const randomHash = (): string => randomBytes(32).toString("hex");

const txs = (payloadOf: (transaction: GeneratedTransaction) => string): Insert =>
  loggedTxs("place, date, payload", (transaction) => [
    PLACE,
    transaction.date,
    payloadOf(transaction),
  ]);

const TXS = txs(compactPayload);
const FULL_TXS = loggedTxs("place, date, payload, data", (transaction) => [
  PLACE,
  transaction.date,
  compactPayload(transaction),
  fullJson(transaction),
]);
const UNPACKED_TXS = loggedTxs("lead, date, type, payload", (transaction) => [
  PLACE,
  transaction.date,
  0,
  listPayload(transaction),
]);

const LOGS_APART = insert("log", "id, date, type, tx, payload, hash", (bulk) =>
  bulk.map((transaction) => {
    const { id, date } = transaction;
    return `[${id},${date},0,${id},${JSON.stringify(listPayload(transaction))},"${randomHash()}"]`;
  }),
);
const TXS_APART = insert("tx", "id, log", (bulk) => bulk.map(({ id }) => `[${id},${id}]`));

/** The notation of a layout for a move's account, asset and volumes. */
interface MoveForm {
  readonly keyOf: (account: number) => string;
  readonly volumeOf: (volume: number) => string;
}

const INTEGERS: MoveForm = { keyOf: (account) => `${account},1`, volumeOf: String };
const NAMED: MoveForm = { ...INTEGERS, keyOf: (account) => `"${addressOf(account)}","${ASSET}"` };
/** Amounts as texts, padded to the width of 128 bits so that they sort as numbers do. */
const PADDED: MoveForm = {
  ...INTEGERS,
  volumeOf: (volume) => `"${volume.toString().padStart(39, "0")}"`,
};

const moves = ({ keyOf, volumeOf }: MoveForm): Insert =>
  insert("move", "account, asset, tx, role, input, output", (bulk) =>
    bulk.flatMap(({ id, moves: both }) =>
      both.map(
        ({ account, role, input, output }) =>
          `[${keyOf(account)},${id},${role},${volumeOf(input)},${volumeOf(output)}]`,
      ),
    ),
  );

const BARE_MOVES = insert("move", "account, asset, tx, role", (bulk) =>
  bulk.flatMap(({ id, moves: both }) =>
    both.map(({ account, role }) => `[${account},1,${id},${role}]`),
  ),
);

/** Rows of volumes. A bulk writes the volumes of an account once, for any number of its moves. */
const VOLUME_ROWS = insert("volume", "account, asset, input, output", (bulk) => {
  const rows = new Map<number, string>();
  for (const { account, input, output } of bulk.flatMap(({ moves: both }) => both)) {
    rows.set(account, `[${account},1,${input},${output}]`);
  }
  return [...rows.values()];
});
const VOLUMES: Insert = {
  ...VOLUME_ROWS,
  statement: `${VOLUME_ROWS.statement} WHERE true
    ON CONFLICT DO UPDATE SET input = excluded.input, output = excluded.output`,
};

const LAST_MOVE =
  "SELECT input, output FROM move WHERE account = ? AND asset = ? ORDER BY tx DESC LIMIT 1";

const SELECT_TX = "SELECT tx.id, date, payload, metadata, updated_at, reverted_at";
const PAGE_OF_TXS = `${SELECT_TX} FROM tx WHERE tx.id <= ? ORDER BY tx.id DESC LIMIT ${PAGE}`;
const ACCOUNT_PAGE_OF_TXS = `${SELECT_TX} FROM move CROSS JOIN tx ON tx.id = move.tx
  WHERE account = ? AND asset = ? ORDER BY move.tx DESC LIMIT ${PAGE}`;
const PAGE_FULL = `SELECT id, data AS payload FROM tx WHERE id <= ? ORDER BY id DESC LIMIT ${PAGE}`;
const ACCOUNT_PAGE_FULL = `SELECT tx.id, data AS payload FROM move CROSS JOIN tx ON tx.id = move.tx
  WHERE account = ? AND asset = ? ORDER BY move.tx DESC LIMIT ${PAGE}`;

const SELECT_APART =
  "SELECT tx.id, log.date, log.payload, tx.metadata, tx.updated_at, tx.reverted_at";
const PAGE_APART = `${SELECT_APART} FROM tx JOIN log ON log.id = tx.log WHERE tx.id <= ? ORDER BY tx.id DESC LIMIT ${PAGE}`;
const ACCOUNT_PAGE_APART = `${SELECT_APART} FROM move CROSS JOIN tx ON tx.id = move.tx JOIN log ON log.id = tx.log
  WHERE account = ? AND asset = ? ORDER BY move.tx DESC LIMIT ${PAGE}`;

const ENTRY_COLUMNS = `date INTEGER NOT NULL, type INTEGER NOT NULL, payload TEXT NOT NULL, hash BLOB,
  key TEXT, key_hash BLOB, checksum INTEGER`;
const STATE_COLUMNS =
  "timestamp INTEGER, reference TEXT, metadata TEXT, updated_at INTEGER, reverted_at INTEGER";
const UNPACKED_TX_TABLE = `CREATE TABLE tx (id INTEGER PRIMARY KEY, lead INTEGER NOT NULL, ${ENTRY_COLUMNS}, ${STATE_COLUMNS}) STRICT`;
const LOG_APART_TABLE = `CREATE TABLE log (id INTEGER PRIMARY KEY, ${ENTRY_COLUMNS}, tx INTEGER) STRICT`;
const TX_APART_TABLE = `CREATE TABLE tx (id INTEGER PRIMARY KEY, log INTEGER NOT NULL, ${STATE_COLUMNS}) STRICT`;

const MOVE_COLUMNS = `role INTEGER NOT NULL, input ANY NOT NULL, output ANY NOT NULL,
  timestamp INTEGER, effective_delta_input ANY, effective_delta_output ANY`;

const NAMED_MOVES_TABLE = `CREATE TABLE move (account TEXT NOT NULL, asset TEXT NOT NULL, tx INTEGER NOT NULL, ${MOVE_COLUMNS},
  PRIMARY KEY (account, asset, tx)) STRICT, WITHOUT ROWID`;
const BARE_MOVES_TABLE = `CREATE TABLE move (account INTEGER NOT NULL, asset INTEGER NOT NULL, tx INTEGER NOT NULL,
  role INTEGER NOT NULL, timestamp INTEGER, PRIMARY KEY (account, asset, tx)) STRICT, WITHOUT ROWID`;
const VOLUMES_TABLE = `CREATE TABLE volume (account INTEGER NOT NULL, asset INTEGER NOT NULL,
  input ANY NOT NULL, output ANY NOT NULL, PRIMARY KEY (account, asset)) STRICT, WITHOUT ROWID`;
const ROWID_MOVES_TABLE = `CREATE TABLE move (account INTEGER NOT NULL, asset INTEGER NOT NULL, tx INTEGER NOT NULL,
  ${MOVE_COLUMNS}) STRICT`;
const MOVES_INDEX = "CREATE UNIQUE INDEX move_key ON move (account, asset, tx)";

const IN_USE: Layout = {
  name: "1 in use",
  changes: [],
  inserts: [TXS, moves(INTEGERS)],
  lastVolumes: LAST_MOVE,
  page: PAGE_OF_TXS,
  accountPage: ACCOUNT_PAGE_OF_TXS,
};

const LAYOUTS: readonly Layout[] = [
  IN_USE,
  {
    ...IN_USE,
    name: "2 names for ids",
    changes: ["DROP TABLE move", NAMED_MOVES_TABLE],
    inserts: [txs(namedPayload), moves(NAMED)],
    namesInMoves: true,
    namesInPayload: true,
  },
  {
    ...IN_USE,
    name: "3 table of volumes",
    changes: ["DROP TABLE move", BARE_MOVES_TABLE, VOLUMES_TABLE],
    inserts: [TXS, BARE_MOVES, VOLUMES],
    lastVolumes: "SELECT input, output FROM volume WHERE account = ? AND asset = ?",
  },
  {
    ...IN_USE,
    name: "4 moves with rowid",
    changes: ["DROP TABLE move", ROWID_MOVES_TABLE, MOVES_INDEX],
    inserts: [TXS, { ...moves(INTEGERS), billed: 2 }],
  },
  {
    ...IN_USE,
    name: "5 full copy in tx",
    changes: ["ALTER TABLE tx ADD COLUMN data TEXT"],
    inserts: [FULL_TXS, moves(INTEGERS)],
    namesInPayload: true,
    page: PAGE_FULL,
    accountPage: ACCOUNT_PAGE_FULL,
  },
  { ...IN_USE, name: "6 padded amounts", inserts: [TXS, moves(PADDED)] },
  {
    ...IN_USE,
    name: "7 log apart",
    changes: ["DROP TABLE tx", LOG_APART_TABLE, TX_APART_TABLE],
    inserts: [LOGS_APART, TXS_APART, moves(INTEGERS)],
    page: PAGE_APART,
    accountPage: ACCOUNT_PAGE_APART,
  },
  {
    ...IN_USE,
    name: "8 unpacked",
    changes: ["DROP TABLE tx", UNPACKED_TX_TABLE],
    inserts: [UNPACKED_TXS, moves(INTEGERS)],
  },
];

/** Measures the cost of a transaction, and the medians of the reads in microseconds. */
function measureLayout(layout: Layout, size: number) {
  const folder = mkdtempSync(join(tmpdir(), "florin-layouts-"));
  const sql = new NodeSql(join(folder, "ledger.sqlite"));
  try {
    migrateToEnd(sql);
    for (const change of layout.changes) sql.all(change);
    insertNames(sql);
    const before = storedBytes(sql);
    const { billed, micros } = insertAll(sql, layout, size);
    return {
      rows: billed / size,
      bytes: (storedBytes(sql) - before) / size,
      perSecond: size / (micros / 1e6),
      ...measureReads(sql, layout, size),
    };
  } finally {
    sql.close();
    rmSync(folder, { recursive: true });
  }
}

/** Inserts all accounts before the first transaction, so that their rows do not count as rows of transactions. */
function insertNames(sql: Sql): void {
  const ids = Array.from({ length: ACCOUNTS + 1 }, (_, index) => WORLD + index);
  sql.all(
    `INSERT INTO account (id, address, first_usage, inserted_at, updated_at)
      SELECT value ->> 0, value ->> 1, ?2, ?2, ?2 FROM json_each(?1)`,
    JSON.stringify(ids.map((id) => [id, addressOf(id)])),
    START,
  );
  sql.all("INSERT INTO asset (id, name) VALUES (1, ?)", ASSET);
}

function storedBytes(sql: Sql): number {
  sql.all("PRAGMA wal_checkpoint(TRUNCATE)");
  const [pages] = sql.all<{ page_count: number }>("PRAGMA page_count");
  const [size] = sql.all<{ page_size: number }>("PRAGMA page_size");
  return (pages?.page_count ?? 0) * (size?.page_size ?? 0);
}

function insertAll(sql: Sql, { inserts }: Layout, size: number) {
  let [billed, micros] = [0, 0];
  let bulk: GeneratedTransaction[] = [];
  for (const transaction of generate(size)) {
    bulk.push(transaction);
    if (bulk.length < BULK && transaction.id < size) continue;
    const parameters = inserts.map(({ rowsOf }) => `[${rowsOf(bulk).join(",")}]`);
    bulk = [];
    micros += microsOf(() =>
      sql.transaction(() => {
        for (const [index, { statement, billed: each }] of inserts.entries()) {
          sql.all(statement, parameters[index] ?? "[]");
          const { changed } = first(sql.all<{ changed: number }>("SELECT changes() AS changed"));
          billed += changed * each;
        }
      }),
    );
  }
  return { billed, micros };
}

function measureReads(sql: Sql, layout: Layout, size: number) {
  const next = numbers();
  // Only accounts with moves are read.
  const used = [...generate(ACCOUNTS)].map(({ source, destination }) =>
    addressOf(Math.max(source, destination)),
  );
  const keysOf = (): [SqlValue, SqlValue] => {
    const address = used[next(Math.min(used.length, size))] ?? "world";
    if (layout.namesInMoves === true) return [address, ASSET];
    const [row] = sql.all<{ id: number }>("SELECT id FROM account WHERE address = ?", address);
    return [row?.id ?? 0, 1];
  };
  const read = (select: string, ...bindings: SqlValue[]): void =>
    nameRows(sql, layout, sql.all<PayloadRow>(select, ...bindings));
  return {
    lastVolumes: median(() => sql.all(layout.lastVolumes, ...keysOf())),
    page: median(() => read(layout.page, PAGE + next(size - PAGE))),
    accountPage: median(() => read(layout.accountPage, ...keysOf())),
  };
}

type PayloadRow = { payload: string };

/** Parses payloads and looks up the addresses of their account ids. */
function nameRows(sql: Sql, { namesInPayload }: Layout, rows: readonly PayloadRow[]): void {
  if (rows.length === 0) throw new Error("a read found nothing");
  const ids = new Set<unknown>();
  for (const { payload } of rows) {
    // Some layouts have lists with brackets, and the layout with full copies has objects.
    const parsed: unknown = JSON.parse(/^[[{]/.test(payload) ? payload : `[${payload}]`);
    if (Array.isArray(parsed)) ids.add(parsed[0]).add(parsed[1]);
  }
  if (namesInPayload === true) return;
  const wanted = `[${[...ids].join(",")}]`;
  sql.all("SELECT id, address FROM account WHERE id IN (SELECT value FROM json_each(?))", wanted);
}

function median(read: () => unknown): number {
  const times = Array.from({ length: READS }, () => microsOf(read)).toSorted((a, b) => a - b);
  return times[READS / 2] ?? 0;
}

function microsOf(work: () => unknown): number {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start) / 1000;
}

function readOptions(args: readonly string[]): { size: number; layouts: readonly Layout[] } {
  const { values } = parseArgs({
    args: [...args],
    options: { size: { type: "string" }, only: { type: "string" } },
  });
  const size = values.size === undefined ? SIZE_STANDARD : Number(values.size);
  if (!Number.isInteger(size) || size < BULK) {
    throw new OperatorError(`--size is ${values.size}. It takes an integer from ${BULK}.`);
  }
  const only = values.only?.split(",");
  const layouts = LAYOUTS.filter(({ name }) => only?.includes(name.charAt(0)) ?? true);
  return { size, layouts };
}

const WIDTHS = [8, 10, 9, 13, 9, 13];
const line = ([name = "", ...figures]: readonly string[]): string =>
  name.padEnd(20) + figures.map((cell, index) => cell.padStart(WIDTHS[index] ?? 0)).join("");

async function main(): Promise<void> {
  const { size, layouts } = readOptions(process.argv.slice(2));
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  say(`${cpus().length} x ${cpus()[0]?.model.trim() ?? "processor"}, Node ${process.version}`);
  say(`${size} transactions, ${ACCOUNTS} accounts; reads in µs\n`);
  say(line(["layout", "rows/tx", "bytes/tx", "tx/s", "last volumes", "page", "of account"]));
  for (const layout of layouts) {
    const { rows, bytes, perSecond, ...reads } = measureLayout(layout, size);
    const whole = [bytes, perSecond, reads.lastVolumes, reads.page, reads.accountPage];
    say(line([layout.name, rows.toFixed(2), ...whole.map((figure) => figure.toFixed(0))]));
  }
}

await run(main);
