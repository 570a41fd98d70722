import type { Account, Metadata } from "#ledger-engine/rules/types.ts";
import { parseJson, quoteJson, stringifyJson } from "#platform/json.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { fromMicros, toMicros, type Timestamp } from "#platform/time.ts";

/** An account as it is stored. */
export interface AccountRow {
  readonly id: number;
  readonly address: Account;
  readonly firstUsage: Timestamp;
  readonly insertedAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly metadata: Metadata | undefined;
}

/** The stored row of an account that exists. */
export function readAccountRow(sql: Sql, address: Account): AccountRow {
  const [row] = sql.all<AccountSqlRow>(`${SELECT_ACCOUNT} WHERE address = ?`, address);
  if (row === undefined) throw new Error("a known account has no row");
  return toAccountRow(row);
}

/**
 * The columns of an account as statements read them. Dates are microseconds. Of these, only a first usage may exceed 2^53, which is
 * in the year 2255: it is a text then.
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

/** The same with the column `held`. */
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

/** Most accounts have one date three times. */
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

export const toAccountText = (row: AccountRow): string =>
  `[${row.id},${quoteJson(row.address)},${toMicros(row.firstUsage)},${toMicros(row.insertedAt)},${toMicros(row.updatedAt)},${
    row.metadata === undefined ? "null" : quoteJson(stringifyJson(row.metadata))
  }]`;
