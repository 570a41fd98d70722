import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { paymentConnectors } from "./tables.ts";
import { metadataBloom } from "#modules/payments/core/bloom/metadata-bloom.ts";
import {
  type ConnectorId,
  decodeConnectorId,
  decodeOwnedId,
  encodeOwnedId,
  isUuid,
} from "#modules/payments/core/ids.ts";
import { accountHash } from "#modules/payments/core/text-hash.ts";
import type { CustomKey } from "#platform/db/keys.ts";
import { AppError } from "#platform/errors.ts";

/**
 * Keys of filters that several entities share. They are special because ids are computed instead of stored, and metadata is
 * filtered by its signature.
 */

/**
 * The key of a connector in SQL; 0, which no row has, for a connector that is not installed. SQLite computes the subquery
 * once and not for each row.
 */
export const connectorKeySql = ({ provider, reference }: ConnectorId): SQL => sql`(SELECT coalesce((
  SELECT ${paymentConnectors.key} FROM ${paymentConnectors}
  WHERE ${paymentConnectors.reference} = ${reference} AND ${paymentConnectors.provider} = ${provider}), 0))`;

/** The filter `connector_id`. A text that is no id matches nothing. */
export const connectorKey = (column: SQLWrapper): CustomKey => ({
  type: "custom",
  matches: (text) => {
    const id = decodeConnectorId(text);
    return id === undefined ? sql`FALSE` : sql`${column} = ${connectorKeySql(id)}`;
  },
});

/**
 * The filter by the id of a row that has a UUID, in letters of any case. Throws `VALIDATION` for a text that is no UUID, as
 * clients rely on this; a text that is no id of a connector's object matches nothing.
 */
export const uuidKey = (column: SQLWrapper): CustomKey => ({
  type: "custom",
  matches: (text) => {
    if (!isUuid(text)) {
      throw new AppError(
        "VALIDATION",
        `invalid value '${text}' for property 'id': expected a UUID`,
      );
    }
    return sql`${column} = ${text.toLowerCase()}`;
  },
});

/**
 * A column without its index. Most rows may belong to one connector, and then the index of the list, which gives rows in
 * order, is faster. The unary plus keeps SQLite from using the column's index.
 */
export const unindexed = (column: SQLWrapper): SQL => sql`+${column}`;

/** The filter by the id of a row that a connector knows by a reference. A text that is no id matches nothing. */
export const ownedKey = (columns: {
  readonly connectorKey: SQLWrapper;
  readonly reference: SQLWrapper;
}): CustomKey => ({
  type: "custom",
  matches: (text) => {
    const id = decodeOwnedId(text);
    return id === undefined
      ? sql`FALSE`
      : sql`(${columns.reference} = ${id.reference} AND ${columns.connectorKey} = ${connectorKeySql(id.connector)})`;
  },
});

/**
 * The filter by the id of an account of the row's own connector, with the hash of its reference. An account of another
 * connector matches nothing.
 */
export const ownAccountKey = (columns: {
  readonly connectorKey: SQLWrapper;
  readonly reference: SQLWrapper;
  readonly hash: SQLWrapper;
}): CustomKey => {
  const { matches } = ownedKey(columns);
  return {
    type: "custom",
    matches: (text, name) =>
      sql`(${columns.hash} = ${accountHash(decodeOwnedId(text)?.reference)} AND ${matches(text, name)})`,
  };
};

/** The filter by the id of an account at one end of a payment, with the hash of its reference; see `core/account-keys.ts`. */
export const accountKey = (columns: {
  readonly account: SQLWrapper;
  readonly hash: SQLWrapper;
}): CustomKey => ({
  type: "custom",
  matches: (text) => {
    const id = decodeOwnedId(text);
    if (id === undefined) return sql`${columns.hash} = -1`;
    const { provider, reference } = id.connector;
    return sql`(${columns.hash} = ${accountHash(id.reference)} AND ${columns.account} = (SELECT coalesce((
      SELECT ${paymentConnectors.key} || ':' || ${id.reference} FROM ${paymentConnectors}
      WHERE ${paymentConnectors.reference} = ${reference} AND ${paymentConnectors.provider} = ${provider}),
      ${`#${encodeOwnedId(id)}`})))`;
  },
});

/** `metadata[key]`: only rows whose Bloom filter may contain the entry are read. */
export const metadataKey = (columns: {
  readonly metadata: SQLWrapper;
  readonly metadataBits: SQLWrapper;
}): CustomKey => ({
  type: "custom",
  isMap: true,
  matches: (value, name) => {
    const bits = metadataBloom({ [name]: value });
    return sql`((${columns.metadataBits} & ${bits}) = ${bits} AND EXISTS (
      SELECT 1 FROM json_each(${columns.metadata}) AS member
      WHERE member.key = ${name} AND member.value = ${value}))`;
  },
});
