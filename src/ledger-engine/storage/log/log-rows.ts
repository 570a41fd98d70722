import type { LogRef, Packing, RangeRead } from "./log-tables.ts";
import { LOG_TYPES } from "#ledger-engine/storage/payload.ts";

/** An entry as SQL gives it, without its hashes. */
export type LogSqlRow = LogRef & {
  date: number;
  type: number;
  payload: string;
  key: string | null;
};

/** An entry with `hash` in hex, empty if there is none, and `keyHash`, the hash of its inputs in hex, null if it is not stored. */
export type ListedSqlRow = LogSqlRow & { hash: string; keyHash: string | null };

/** A reference to an entry, with its estimated size in bytes. */
export type LogSizeRow = LogRef & { size: number };

/** A row of a list. Its payload is null if it is large. */
export type ListedRow = Omit<ListedSqlRow, "payload"> & LogSizeRow & { payload: string | null };

/**
 * An upper estimate of an entry's size as JSON: each posting comes with its volumes, and a revert with the transaction
 * that it reverts.
 */
export const ENTRY_SIZE = `(octet_length(payload) + 4) * 40 + iif(type = ${LOG_TYPES.REVERTED_TRANSACTION}, 20000, 0)`;
export const CONTENT = ", date, type, payload, key";
const HASHES = ", hex(hash) AS hash, iif(key_hash IS NULL, NULL, hex(key_hash)) AS keyHash";

/** The columns of a list. The parameter is the size in bytes up to which payloads are included. */
const LISTED_IF_SMALL = `, date, type, iif(octet_length(payload) <= ?, payload, NULL) AS payload, key${HASHES}, ${ENTRY_SIZE} AS size`;

/** The most bytes of all payloads that are read together with the rows of a list. */
const SMALL_BYTES_MAX = 1_000_000;
/** The most rows that come packed as one text, and the most bytes of each payload: SQL handles texts of up to 2 MB. */
const PACKED_MAX = 64;
const PACKED_BYTES_MAX = 4000;

/** The columns, bindings and packing with which a list reads this many rows at once. Large payloads are left out. */
export function listing(
  rows: number,
): Pick<RangeRead<ListedRow>, "columns" | "bindings" | "packing"> {
  const isPacked = rows <= PACKED_MAX;
  return {
    columns: LISTED_IF_SMALL,
    bindings: [isPacked ? PACKED_BYTES_MAX : Math.floor(SMALL_BYTES_MAX / rows)],
    packing: isPacked ? PACKING : undefined,
  };
}

const PACKING: Packing<ListedRow> = {
  columns: "id, tx, date, type, payload, key, hash, keyHash, size",
  toRow: (packed) => {
    const [id, tx, date, type, payload, key, hash, keyHash, size] = packed as PackedRow; // the columns of `PACKING`
    return { id, tx, date, type, payload, key, hash, keyHash, size };
  },
};

type PackedRow = readonly [
  id: number,
  tx: number | null,
  date: number,
  type: number,
  payload: string | null,
  key: string | null,
  hash: string,
  keyHash: string | null,
  size: number,
];
