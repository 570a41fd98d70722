import type { z } from "@hono/zod-openapi";
import type {
  AccountResponse,
  BalanceIntervalResponse,
  BalancesResponse,
  BulkElementRequest,
  BulkResponse,
  BulkResultResponse,
  LedgerResponse,
  LogResponse,
  TransactionResponse,
  VolumeRowResponse,
} from "./schemas.ts";
import type { Outcome } from "#ledger-engine/engine.ts";
import { compareBytes } from "#ledger-engine/rules/log/canonical.ts";
import { volumesBefore } from "#ledger-engine/rules/postings.ts";
import type {
  AssetBalance,
  BalanceInterval,
  LogListEntry,
  VolumeRow,
} from "#ledger-engine/rules/reads.ts";
import { renderStoredSchema, type SchemaJson } from "#ledger-engine/rules/schemas/ledger-schema.ts";
import type {
  AccountMetadata,
  AccountRecord,
  AccountVolumes,
  LogData,
  Metadata,
  Transaction,
} from "#ledger-engine/rules/types.ts";
import type { Ledger } from "#modules/ledger/catalogue/store.ts";
import { codeOf, type Failure } from "#platform/errors.ts";
import { withRawIntegers } from "#platform/json.ts";
import type { Result } from "#platform/result.ts";
import { formatTimestamp, optionalTimestamp } from "#platform/time.ts";

export type TransactionView = z.input<typeof TransactionResponse>;
type LogView = z.input<typeof LogResponse>;

export const toLedgerView = (ledger: Ledger): z.input<typeof LedgerResponse> => ({
  bucket: ledger.bucket,
  metadata: sortedByKey(ledger.metadata),
  features: ledger.features,
  id: ledger.id,
  name: ledger.name,
  addedAt: formatTimestamp(ledger.addedAt),
  ...optionalTimestamp("deletedAt", ledger.deletedAt),
});

export function toTransactionView(transaction: Transaction): TransactionView {
  const { id, postings, metadata, timestamp, reference, volumes, effectiveVolumes } = transaction;
  const committed = toVolumeMaps(volumes, postings);
  const effective =
    effectiveVolumes === volumes ? committed : toVolumeMaps(effectiveVolumes, postings);
  return {
    postings: postings.map(({ source, destination, amount, asset }) => ({
      source,
      destination,
      amount,
      asset,
    })),
    metadata: sortedByKey(metadata),
    timestamp: formatTimestamp(timestamp),
    ...(reference === undefined ? {} : { reference }),
    id,
    insertedAt: formatTimestamp(transaction.insertedAt),
    updatedAt: formatTimestamp(transaction.updatedAt),
    ...optionalTimestamp("revertedAt", transaction.revertedAt),
    ...(committed === undefined ? {} : { postCommitVolumes: committed.after }),
    ...(effective === undefined ? {} : { postCommitEffectiveVolumes: effective.after }),
    ...(transaction.template === undefined ? {} : { template: transaction.template }),
    reverted: transaction.revertedAt !== undefined,
    ...(committed === undefined ? {} : { preCommitVolumes: committed.before }),
    ...(effective === undefined ? {} : { preCommitEffectiveVolumes: effective.before }),
  };
}

/** Its JSON is what `toLogText` writes. */
export const toLogView = (entry: LogListEntry): LogView => ({
  type: entry.data.type,
  data: toLogDataView(entry.data),
  date: formatTimestamp(entry.date),
  idempotencyKey: entry.idempotencyKey,
  idempotencyHash: entry.idempotencyHash,
  id: entry.id,
  ...(entry.hash === undefined ? {} : { hash: entry.hash }),
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
        metadata: sortedByKey(data.metadata),
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

const toAccountMetadataView = (accountMetadata: AccountMetadata): Record<string, Metadata> =>
  byKey(
    Object.entries(accountMetadata).map(([address, metadata]) => [address, sortedByKey(metadata)]),
  );

export function toAccountView(
  account: AccountRecord,
  expand: { volumes: boolean; effectiveVolumes: boolean },
): z.input<typeof AccountResponse> {
  const volumes = expand.volumes ? toAssetMap(account.volumes) : undefined;
  const effective = expand.effectiveVolumes ? toAssetMap(account.effectiveVolumes) : undefined;
  return {
    address: account.address,
    metadata: sortedByKey(account.metadata),
    firstUsage: formatTimestamp(account.firstUsage),
    insertionDate: formatTimestamp(account.insertionDate),
    updatedAt: formatTimestamp(account.updatedAt),
    ...(volumes === undefined ? {} : { volumes }),
    ...(effective === undefined ? {} : { effectiveVolumes: effective }),
  };
}

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

/** What the elements that were not run, because one before them failed, are answered. */
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

/** What a bulk says of its first failure, next to the results. */
export const toBulkFailureView = ({ kind, message }: Failure) => ({
  errorCode: codeOf(kind),
  errorMessage: `[${codeOf(kind)}] ${message}`,
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
    errorCode: codeOf(kind),
    errorDescription: message,
    responseType: "ERROR",
    logID: 0,
  };
}

type VolumeMap = NonNullable<TransactionView["postCommitVolumes"]>;

/** Volumes by account and asset, after a transaction and before it; nothing where there are none. */
function toVolumeMaps(
  after: readonly AccountVolumes[] | undefined,
  postings: Transaction["postings"],
): { before: VolumeMap; after: VolumeMap } | undefined {
  if (after === undefined || after.length === 0) return undefined;
  return { before: toVolumeMap(volumesBefore(after, postings)), after: toVolumeMap(after) };
}

function toVolumeMap(entries: readonly AccountVolumes[]): VolumeMap {
  const accounts = Map.groupBy(entries, ({ account }) => account);
  return byKey(
    [...accounts].map(([account, volumes]) => [account, byKey(volumes.map(toAssetEntry))]),
  );
}

/** Volumes by asset; nothing where there are none. */
const toAssetMap = (volumes: readonly AccountVolumes[] = []) =>
  volumes.length === 0 ? undefined : byKey(volumes.map(toAssetEntry));

const toAssetEntry = ({ asset, input, output }: AccountVolumes) =>
  [asset, { input, output, balance: input - output }] as const;

/** An object with its keys in byte order. `Object.fromEntries` makes every key a plain member, `__proto__` too. */
function byKey<V>(entries: readonly (readonly [string, V])[]): Record<string, V> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => compareBytes(a, b)));
}

const sortedByKey = (metadata: Metadata): Metadata => byKey(Object.entries(metadata));
