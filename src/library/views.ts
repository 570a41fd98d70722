import type {
  PublicAccount,
  PublicLogData,
  PublicLogEntry,
  PublicTarget,
  PublicTransaction,
  Schema,
  VolumeEntry,
} from "./types.ts";
import {
  type AccountRecord,
  type LogData,
  type LogEntry,
  type MetadataTarget,
  parseStoredSchema,
  renderStoredSchema,
  showSchema,
  type StoredSchema,
  toAccountView,
  toTransactionView,
  type Transaction,
  type VolumeRow,
  withoutNulls,
} from "#ledger-engine";
import { formatTimestamp } from "#platform/time.ts";

/** The transaction in the form of the HTTP API. */
export const toTransaction = (transaction: Transaction): PublicTransaction =>
  toTransactionView(transaction);

export function toAccount(account: AccountRecord): PublicAccount {
  const view = toAccountView(account, { volumes: true, effectiveVolumes: false });
  return { ...view, volumes: view.volumes ?? {} };
}

export const toVolumeEntry = ({ account, asset, input, output }: VolumeRow): VolumeEntry => ({
  account,
  asset,
  input,
  output,
  balance: input - output,
});

/** The schema in the form of the HTTP API. */
export const toSchema = (schema: StoredSchema): Schema =>
  showSchema(parseStoredSchema(schema)) as Schema; // A stored schema was checked, so that its JSON has this form.

export const toLogEntry = ({
  id,
  date,
  idempotencyKey,
  schemaVersion,
  data,
}: LogEntry): PublicLogEntry => ({
  id,
  date: formatTimestamp(date),
  idempotencyKey,
  ...(schemaVersion === undefined ? {} : { schemaVersion }),
  ...toLogData(data),
});

function toLogData(data: LogData): PublicLogData {
  switch (data.type) {
    case "NEW_TRANSACTION": {
      const { type, transaction, accountMetadata } = data;
      return {
        type,
        data: {
          transaction: toTransaction(transaction),
          accountMetadata: withoutNulls(accountMetadata),
        },
      };
    }
    case "REVERTED_TRANSACTION": {
      const { type, revertedTransaction, transaction } = data;
      return {
        type,
        data: {
          revertedTransaction: toTransaction(revertedTransaction),
          transaction: toTransaction(transaction),
        },
      };
    }
    case "SET_METADATA": {
      const { type, target, metadata } = data;
      return { type, data: { ...toTarget(target), metadata: metadata ?? {} } };
    }
    case "DELETE_METADATA": {
      const { type, target, key } = data;
      return { type, data: { ...toTarget(target), key } };
    }
    case "INSERTED_SCHEMA":
      return {
        type: data.type,
        data: { schema: renderStoredSchema(data.schema) as Schema }, // The schema has the form that `toSchema` gives.
      };
  }
}

const toTarget = (target: MetadataTarget): PublicTarget =>
  target.type === "ACCOUNT"
    ? { targetType: target.type, targetId: target.id }
    : { targetType: target.type, targetId: target.id };
