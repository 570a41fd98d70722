import type { z } from "@hono/zod-openapi";
import type {
  BalanceIntervalResponse,
  BalancesResponse,
  LedgerResponse,
  LogResponse,
  VolumeRowResponse,
} from "./schemas.ts";
import {
  byKey,
  renderStoredSchema,
  sortedByKey,
  toTransactionView,
  type LoggedAccountMetadata,
  type AssetBalance,
  type BalanceInterval,
  type LogData,
  type LogListEntry,
  type Metadata,
  type SchemaJson,
  type VolumeRow,
} from "#ledger-engine";
import type { Ledger } from "#modules/catalogue/index.ts";
import { withRawIntegers } from "#platform/json.ts";
import { formatTimestamp, optionalTimestamp } from "#platform/time.ts";

export type LogView = z.input<typeof LogResponse>;

export const toLedgerView = (ledger: Ledger): z.input<typeof LedgerResponse> => ({
  bucket: ledger.bucket,
  metadata: sortedByKey(ledger.metadata),
  features: ledger.features,
  id: ledger.id,
  name: ledger.name,
  ...(ledger.location === undefined ? {} : { location: ledger.location }),
  addedAt: formatTimestamp(ledger.addedAt),
  ...optionalTimestamp("deletedAt", ledger.deletedAt),
});

/** The view of a log entry, whose JSON is the text that `toLogText` writes. */
export const toLogView = (entry: LogListEntry): LogView => ({
  type: entry.data.type,
  data: toLogDataView(entry.data),
  date: formatTimestamp(entry.date),
  idempotencyKey: entry.idempotencyKey,
  idempotencyHash: entry.idempotencyHash,
  id: entry.id,
  hash: entry.hash,
  ...(entry.schemaVersion === undefined ? {} : { schemaVersion: entry.schemaVersion }),
});

function toLogDataView(data: LogData): LogView["data"] {
  switch (data.type) {
    case "NEW_TRANSACTION":
      return {
        transaction: toTransactionView(data.transaction),
        accountMetadata: toAccountMetadataView(data.accountMetadata),
      };
    case "REVERTED_TRANSACTION":
      return {
        revertedTransaction: toTransactionView(data.revertedTransaction),
        transaction: toTransactionView(data.transaction),
      };
    case "SET_METADATA":
      return {
        targetType: data.target.type,
        targetId: data.target.id,
        metadata: data.metadata && sortedByKey(data.metadata),
      };
    case "DELETE_METADATA":
      return { targetType: data.target.type, targetId: data.target.id, key: data.key };
    case "INSERTED_SCHEMA":
      return { schema: withIntegers(renderStoredSchema(data.schema)) };
  }
}

/** A schema whose large integers stay integers where a client wants amounts as texts, because they are no amounts. */
function withIntegers(schema: SchemaJson): SchemaJson {
  if (schema.queries === undefined) return schema;
  const queries = Object.entries(schema.queries).map(
    ([id, query]) => [id, withRawIntegers(query)] as const,
  );
  return { ...schema, queries: Object.fromEntries(queries) };
}

const toAccountMetadataView = (
  accountMetadata: LoggedAccountMetadata,
): Record<string, Metadata | null> =>
  byKey(
    Object.entries(accountMetadata).map(([address, metadata]) => [
      address,
      metadata && sortedByKey(metadata),
    ]),
  );

export const toBalanceIntervalView = ({
  startTime,
  endTime,
  input,
  output,
  balance,
}: BalanceInterval): z.input<typeof BalanceIntervalResponse> => ({
  startTime: formatTimestamp(startTime),
  endTime: formatTimestamp(endTime),
  input,
  output,
  balance,
});

export const toVolumeRowView = ({
  account,
  asset,
  input,
  output,
}: VolumeRow): z.input<typeof VolumeRowResponse> => ({
  account,
  asset,
  input,
  output,
  balance: input - output,
});

export const toBalancesView = (
  balances: readonly AssetBalance[],
): z.input<typeof BalancesResponse> =>
  byKey(balances.map(({ asset, balance }) => [asset, balance]));
