import { keepsHistory, PairHashes, TAG_SCOPES, tagRow } from "./metadata-index.ts";
import { decodeMetadata, decodeTransaction, LOG_TYPES } from "./payload.ts";
import { parseMetadata } from "./write-batch.ts";
import type { Features, Metadata } from "#ledger-engine/rules/types.ts";
import { parseJson } from "#platform/json.ts";
import { chunksOf, type Sql } from "#platform/sql/sql.ts";

/** Rows that are read at a time: some are as large as a row may be, 2 MB. */
const PAGE_ROWS = 20;
/** Rows that wait to be written. */
const ROWS_MAX = 5000;

/**
 * Fills the empty table `tag` from the log and from what is there now, a page at a time. Pairs that were ever set go into
 * the past; those that are there now leave it at the end.
 */
export function toTags(sql: Sql): void {
  const [ledger] = sql.all<{ features: string }>("SELECT features FROM ledger");
  if (ledger === undefined) return; // it is being made, and has no log
  const features = parseJson(ledger.features) as Features; // written by `create`
  const tags = new TagRows(sql);
  tagLogged(sql, tags, features);
  tagAccounts(sql, tags);
  tags.flush();
  sql.all(`DELETE FROM tag WHERE scope IN (1, 3) AND EXISTS (
    SELECT 1 FROM tag AS present WHERE present.scope = tag.scope - 1
      AND present.key = tag.key AND present.value = tag.value AND present.target = tag.target)`);
}

/** What the log says was set, and what its transactions have now. */
function tagLogged(sql: Sql, tags: TagRows, features: Features): void {
  const isKept = {
    TRANSACTION: keepsHistory(features, "TRANSACTION"),
    ACCOUNT: keepsHistory(features, "ACCOUNT"),
  };
  const tagPast = (type: "TRANSACTION" | "ACCOUNT", id: number | undefined, pairs: Metadata) => {
    if (id !== undefined && isKept[type]) tags.add(TAG_SCOPES[`${type}_PAST`], id, pairs);
  };
  for (const row of pagesOf<LoggedSqlRow>(sql, SELECT_LOGGED)) {
    if (row.type === LOG_TYPES.SET_METADATA) {
      const { target, metadata } = decodeMetadata(row.payload).entry;
      const id = target.type === "ACCOUNT" ? accountId(sql, target.id) : target.id;
      tagPast(target.type, id, metadata);
      continue;
    }
    const { metadata = {}, accountMetadata = {} } = decodeTransaction(row.payload);
    if (row.metadata === null) {
      tags.add(TAG_SCOPES.TRANSACTION, row.tx, metadata);
    } else {
      tags.add(TAG_SCOPES.TRANSACTION, row.tx, parseMetadata(row.metadata));
      tagPast("TRANSACTION", row.tx, metadata);
    }
    for (const [address, pairs] of Object.entries(accountMetadata)) {
      tagPast("ACCOUNT", accountId(sql, address), pairs);
    }
  }
}

function tagAccounts(sql: Sql, tags: TagRows): void {
  for (const { id, metadata } of pagesOf<AccountSqlRow>(sql, SELECT_ACCOUNTS)) {
    tags.add(TAG_SCOPES.ACCOUNT, id, parseMetadata(metadata));
  }
}

const accountId = (sql: Sql, address: string): number | undefined =>
  sql.all<{ id: number }>("SELECT id FROM account WHERE address = ?", address)[0]?.id;

/** All rows of a statement that takes an id to go on behind, and how many rows to give. */
function* pagesOf<Row extends { id: number } & Record<string, number | string | null>>(
  sql: Sql,
  select: string,
): Generator<Row> {
  for (let after = -1; ;) {
    const rows = sql.all<Row>(select, after, PAGE_ROWS);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

type LoggedSqlRow = {
  id: number;
  type: number;
  tx: number;
  payload: string;
  /** Of the transaction, where it has changed. */
  metadata: string | null;
};

/** A transaction without metadata ends with its amount. */
const SELECT_LOGGED = `SELECT log.id, log.type, log.tx, log.payload, tx.metadata FROM log LEFT JOIN tx ON tx.id = log.tx
  WHERE log.id > ? AND log.type <= 2 AND (log.type = 2 OR tx.metadata IS NOT NULL OR substr(log.payload, -2) = '}]')
  ORDER BY log.id LIMIT ?`;

type AccountSqlRow = { id: number; metadata: string };

const SELECT_ACCOUNTS =
  "SELECT id, metadata FROM account WHERE id > ? AND metadata IS NOT NULL ORDER BY id LIMIT ?";

/** Rows of `tag` on their way. */
class TagRows {
  readonly #sql: Sql;
  readonly #hashes = new PairHashes();
  #rows: string[] = [];

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  add(scope: number, target: number, metadata: Metadata): void {
    for (const [key, value] of Object.entries(metadata)) {
      this.#rows.push(tagRow(scope, this.#hashes.of(key, value), target));
    }
    if (this.#rows.length > ROWS_MAX) this.flush();
  }

  flush(): void {
    for (const chunk of chunksOf(this.#rows)) this.#sql.all(INSERT_ROWS, `[${chunk.join(",")}]`);
    this.#rows = [];
    this.#hashes.trim();
  }
}

const INSERT_ROWS = `INSERT OR IGNORE INTO tag (scope, key, value, target)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)`;
