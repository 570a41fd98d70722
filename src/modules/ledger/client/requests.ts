import type { KeyedWrite, LedgerScope } from "./types.ts";
import {
  assertIdempotencyKey,
  BulkElementData,
  toBulkElement,
  toTransactionCommand,
  readPlainTransaction,
  TransactionRequest,
  type Command,
} from "#ledger-engine";
import type { Metadata, Target } from "#library/index.ts";
import { AppError } from "#platform/errors.ts";
import { toFilterText } from "#platform/filter/filter.ts";
import type { ListScope } from "#platform/paging/query.ts";
import { unwrap } from "#platform/result.ts";
import { TimestampInput, toValidationError } from "#platform/validation.ts";

export function toWriteOptions({ idempotencyKey, schemaVersion = "" }: KeyedWrite) {
  // An empty key would count as no key later on, which a caller that has computed a key does not mean.
  if (idempotencyKey === "") throw new AppError("VALIDATION", "the idempotency key is empty");
  assertIdempotencyKey(idempotencyKey ?? "");
  return { idempotencyKey: idempotencyKey ?? "", dryRun: false, schemaVersion };
}

/** The command of a transaction. Throws `VALIDATION` or `NO_POSTINGS`. */
export function toCommit(request: unknown): Command {
  const plain = readPlainTransaction(request);
  if (plain !== undefined) return toTransactionCommand(plain, { force: false });
  const parsed = TransactionRequest.safeParse(request);
  if (!parsed.success) throw toValidationError(parsed.error, "transaction");
  return toTransactionCommand(parsed.data, { force: false });
}

export function toSaveMetadata(target: Target, metadata: Metadata): Command {
  const action = "ADD_METADATA";
  const parsed = BulkElementData[action].safeParse({ ...target, metadata });
  if (!parsed.success) throw toValidationError(parsed.error, "metadata");
  return unwrap(toBulkElement({ action, data: parsed.data }).command);
}

export function toScope({ where, pit }: LedgerScope): Pick<ListScope, "where" | "pit"> {
  const filter = toFilterText(where);
  return {
    ...(filter === undefined ? {} : { where: filter }),
    ...(pit === undefined ? {} : { pit: toTimestamp(pit) }),
  };
}

function toTimestamp(text: string) {
  const parsed = TimestampInput.safeParse(text);
  if (parsed.success) return parsed.data;
  throw toValidationError(parsed.error, "point in time");
}
