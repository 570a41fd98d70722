import type { LogRef, Packing, RangeRead } from "./log-tables.ts";
import { LOG_TYPES } from "#ledger-engine/storage/payload.ts";

/** What an entry says. */
export type LogSqlRow = LogRef & {
  date: number;
  type: number;
  payload: string;
  key: string | null;
};

/** The hash in hex, empty where there is none, and the hash of the inputs in hex, null where it is not stored. */
export type ListedSqlRow = LogSqlRow & { hash: string; keyHash: string | null };

/** Where an entry is, and how large it may be. */
export type LogSizeRow = LogRef & { size: number };

/** A row of a list, whose payload is null where it is not small. */
export type ListedRow = Omit<ListedSqlRow, "payload"> & LogSizeRow & { payload: string | null };

/**
 * An upper estimate of an entry's size as JSON: each posting comes with its volumes, and a revert with the transaction
 * that it reverts.
 */
export const ENTRY_SIZE = `(octet_length(payload) + 4) * 40 + iif(type = ${LOG_TYPES.REVERTED_TRANSACTION}, 20000, 0)`;
export const CONTENT = ", date, type, payload, key";
const HASHES = ", hex(hash) AS hash, iif(key_hash IS NULL, NULL, hex(key_hash)) AS keyHash";

/** The columns of a list, with the payloads up to a number of bytes, which is a parameter. */
const LISTED_IF_SMALL = `, date, type, iif(octet_length(payload) <= ?, payload, NULL) AS payload, key${HASHES}, ${ENTRY_SIZE} AS size`;

/** The most bytes that the payloads of a list have that are read with its rows. */
const SMALL_BYTES_MAX = 1_000_000;
/** At most this many rows come as one text, with payloads of at most this many bytes, because SQL takes texts of up to 2 MB. */
const PACKED_MAX = 64;
const PACKED_BYTES_MAX = 4000;

/** How a list reads its rows, where it reads so many at once. Payloads that are not small are left out. */
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
    const [id, tx, date, type, payload, key, hash, keyHash, size] = packed as PackedRow; // of these columns
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
