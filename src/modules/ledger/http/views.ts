import type { z } from "@hono/zod-openapi";
import type { BulkResponse, BulkResultResponse } from "./bulk-schemas.ts";
import type {
  BalanceIntervalResponse,
  BalancesResponse,
  BulkElementRequest,
  LedgerResponse,
  LogResponse,
  VolumeRowResponse,
} from "./schemas.ts";
import { ledgerErrors } from "#ledger-engine";
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
  type Outcome,
  type SchemaJson,
  type VolumeRow,
  type WrittenOutcome,
} from "#ledger-engine";
import type { Ledger } from "#modules/ledger/catalogue/ledger.ts";
import type { Failure } from "#platform/errors.ts";
import { type JsonText, stringifyJson, withRawIntegers } from "#platform/json.ts";
import type { Result } from "#platform/result.ts";
import { formatTimestamp, optionalTimestamp } from "#platform/time.ts";

export type LogView = z.input<typeof LogResponse>;

export const toLedgerView = (ledger: Ledger): z.input<typeof LedgerResponse> => ({
  bucket: ledger.bucket,
  metadata: sortedByKey(ledger.metadata),
  features: ledger.features,
  id: ledger.id,
  name: ledger.name,
  addedAt: formatTimestamp(ledger.addedAt),
  ...optionalTimestamp("deletedAt", ledger.deletedAt),
});

/** Its JSON is what `toLogText` writes. */
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

/** The large integers of a schema are no amounts: they stay integers where a client wants those as texts. */
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

/** The result of elements that were not run because an earlier one failed. */
const SKIPPED = {
  errorCode: "INTERNAL",
  errorDescription: "context canceled",
  responseType: "ERROR",
  logID: 0,
} as const;

export function toBulkView(
  actions: readonly BulkElementRequest["action"][],
  results: readonly Result<Outcome>[],
): z.input<typeof BulkResponse> {
  const failure = results.find((result) => !result.ok)?.failure;
  return {
    data: actions.map((action, index) => toBulkResultView(action, results[index])),
    ...(failure === undefined ? {} : toBulkFailureView(failure)),
  };
}

/** The JSON of `toBulkView`, around transactions that are written already. */
export function bulkText(
  actions: readonly BulkElementRequest["action"][],
  results: readonly Result<WrittenOutcome>[],
): JsonText<z.input<typeof BulkResponse>> {
  const failure = results.find((result) => !result.ok)?.failure;
  const items = actions.map((action, index) => bulkResultText(action, results[index]));
  const members = failure === undefined ? "" : stringifyJson(toBulkFailureView(failure));
  const end = members === "" ? "}" : `,${members.slice(1)}`;
  return `{"data":[${items.join(",")}]${end}` as JsonText<z.input<typeof BulkResponse>>; // as the view has them
}

function bulkResultText(
  action: BulkElementRequest["action"],
  result: Result<WrittenOutcome> | undefined,
): string {
  if (result?.ok !== true) return stringifyJson(toBulkResultView(action, result));
  const { transaction, logId } = result.value;
  const data = transaction === undefined ? "" : `"data":${transaction},`;
  return `{${data}"responseType":"${action}","logID":${logId}}`;
}

/** The error of a bulk's first failure, which stands next to the results. */
export const toBulkFailureView = ({ kind, message }: Failure) => ({
  errorCode: ledgerErrors.codeOf(kind),
  errorMessage: `[${ledgerErrors.codeOf(kind)}] ${message}`,
});

export function toBulkResultView(
  action: BulkElementRequest["action"],
  result: Result<Outcome> | undefined,
): z.input<typeof BulkResultResponse> {
  if (result === undefined) return SKIPPED;
  if (result.ok) {
    const { transaction, logId } = result.value;
    const data = transaction === undefined ? {} : { data: toTransactionView(transaction) };
    return { ...data, responseType: action, logID: logId };
  }
  const { kind, message } = result.failure;
  return {
    errorCode: ledgerErrors.codeOf(kind),
    errorDescription: message,
    responseType: "ERROR",
    logID: 0,
  };
}
