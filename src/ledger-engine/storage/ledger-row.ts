import type { Features, LedgerInfo } from "#ledger-engine/rules/types.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { first, type Sql } from "#platform/sql/sql.ts";

/** Columns of the only row of the table `ledger`. */
export interface LedgerRow {
  readonly info: LedgerInfo;
  readonly publishedLog: number;
}

/** Writes the row of a new ledger. */
export function insertLedgerRow(sql: Sql, { uuid, name, bucket, features }: LedgerInfo): void {
  sql.all(
    "INSERT INTO ledger (one, uuid, name, bucket, features) VALUES (1, ?, ?, ?, ?)",
    uuid,
    name,
    bucket,
    stringifyJson(features),
  );
}

export function readLedgerRow(sql: Sql): LedgerRow {
  const row = first(
    sql.all<LedgerSqlRow>("SELECT uuid, name, bucket, features, published_log FROM ledger"),
  );
  const { uuid, name, bucket } = row;
  const features = parseJson(row.features) as Features; // written by `insertLedgerRow`
  return { info: { uuid, name, bucket, features }, publishedLog: row.published_log };
}

type LedgerSqlRow = {
  uuid: string;
  name: string;
  bucket: string;
  features: string;
  published_log: number;
};
