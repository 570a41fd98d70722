import { formatTimestamp } from "../../../platform/time.ts";
import type { VolumeRow } from "../core/reads.ts";
import type * as core from "../core/types.ts";
import { toAccountView, toTransactionView } from "../views.ts";
import type { Account, LogData, LogEntry, Target, Transaction, VolumeEntry } from "./types.ts";

/** As the HTTP API shows it. */
export const toTransaction = (transaction: core.Transaction): Transaction =>
  toTransactionView(transaction);

export function toAccount(account: core.AccountRecord): Account {
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

export const toLogEntry = ({ id, date, idempotencyKey, data }: core.LogEntry): LogEntry => ({
  id,
  date: formatTimestamp(date),
  idempotencyKey,
  ...toLogData(data),
});

function toLogData(data: core.LogData): LogData {
  switch (data.type) {
    case "NEW_TRANSACTION": {
      const { type, transaction, accountMetadata } = data;
      return { type, data: { transaction: toTransaction(transaction), accountMetadata } };
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
      return { type, data: { ...toTarget(target), metadata } };
    }
    case "DELETE_METADATA": {
      const { type, target, key } = data;
      return { type, data: { ...toTarget(target), key } };
    }
  }
}

const toTarget = (target: core.Target): Target =>
  target.type === "ACCOUNT"
    ? { targetType: target.type, targetId: target.id }
    : { targetType: target.type, targetId: target.id };
