import { insertionInto, insertRows, integerValue } from "./insertion.ts";
import type { Account, Metadata } from "#ledger-engine/rules/types.ts";
import { parseJson, stringifyTexts } from "#platform/json.ts";
import type { Sql, SqlValue } from "#platform/sql/sql.ts";
import { fromMicros, toMicros, type Timestamp } from "#platform/time.ts";

/** The stored row of an account. */
export interface AccountRow {
  readonly id: number;
  readonly address: Account;
  readonly firstUsage: Timestamp;
  readonly insertedAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly metadata: Metadata | undefined;
}

/** Reads the row of an account, which must exist. */
export function readAccountRow(sql: Sql, address: Account): AccountRow {
  const [row] = sql.all<AccountSqlRow>(`${SELECT_ACCOUNT} WHERE address = ?`, address);
  if (row === undefined) throw new Error("a known account has no row");
  return toAccountRow(row);
}

/**
 * The columns of an account as statements read them. Dates are microseconds since 1970. Only a first usage may exceed 2^53, which
 * is in the year 2255; SQL then gives a text.
 */
export const SELECTED_COLUMNS = {
  address: "address",
  first:
    "iif(abs(first_usage) <= 9007199254740991, first_usage, CAST(first_usage AS TEXT)) AS first",
  inserted: "inserted_at AS inserted",
  updated: "updated_at AS updated",
  metadata: "metadata",
} as const;

const COLUMNS = ["id", ...Object.values(SELECTED_COLUMNS)].join(", ");
export const SELECT_ACCOUNT = `SELECT ${COLUMNS} FROM account`;

/** Selects accounts with the further column `held`. */
export const selectAccountWith = (held: string): string =>
  `SELECT ${COLUMNS}, ${held} AS held FROM account`;

export type AccountSqlRow = {
  id: number;
  address: string;
  first: number | string;
  inserted: number;
  updated: number;
  metadata: string | null;
};

/** Converts a row. Most accounts have three equal dates, which are converted once. */
export function toAccountRow({
  id,
  address,
  first,
  inserted,
  updated,
  metadata,
}: AccountSqlRow): AccountRow {
  const firstUsage = fromMicros(typeof first === "number" ? first : BigInt(first));
  const insertedAt = inserted === first ? firstUsage : fromMicros(inserted);
  return {
    id,
    address: address as Account, // only checked addresses are stored
    firstUsage,
    insertedAt,
    updatedAt: updated === inserted ? insertedAt : fromMicros(updated),
    metadata: metadata === null ? undefined : parseMetadata(metadata),
  };
}

/** Parses metadata from a column that only this module writes. */
export const parseMetadata = (text: string): Metadata => parseJson(text) as Metadata;

const ACCOUNTS = insertionInto(
  "account",
  {
    id: "?",
    address: "?",
    first_usage: "CAST(? AS INTEGER)",
    inserted_at: "CAST(? AS INTEGER)",
    updated_at: "CAST(? AS INTEGER)",
    metadata: "?",
  },
  " ON CONFLICT (id) DO UPDATE SET first_usage = excluded.first_usage, updated_at = excluded.updated_at, metadata = excluded.metadata",
);

/** Writes accounts that are new or have changed. */
export function writeAccountRows(sql: Sql, rows: Iterable<AccountRow>): void {
  const values: SqlValue[] = [];
  for (const { id, address, firstUsage, insertedAt, updatedAt, metadata } of rows) {
    const dates = [firstUsage, insertedAt, updatedAt].map((date) => integerValue(toMicros(date)));
    const text = metadata === undefined ? null : stringifyTexts(metadata);
    values.push(id, address, ...dates, text);
  }
  insertRows(sql, ACCOUNTS, values);
}
