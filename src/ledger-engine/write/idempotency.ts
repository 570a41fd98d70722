import { transactionOf } from "./log-writer.ts";
import { toIdempotencyText } from "#ledger-engine/rules/log/idempotency.ts";
import type { Command } from "#ledger-engine/rules/types.ts";
import type { Outcome } from "#ledger-engine/rules/writes.ts";
import type { LogReader } from "#ledger-engine/storage/log/log-reader.ts";
import { sha256 } from "#ledger-engine/storage/log/text-digest.ts";
import { AppError } from "#platform/errors.ts";

/** The hash of a command's inputs, in hex. */
export const idempotencyHash = (command: Command): string =>
  sha256(toIdempotencyText(command), "hex");

/**
 * The outcome of the earlier write with an idempotency key; undefined if the key is new. Throws `VALIDATION` if the
 * earlier write had other inputs.
 */
export function findReplay(
  logs: LogReader,
  { key, keyHash }: { readonly key: string; readonly keyHash: string },
): Outcome | undefined {
  const found = logs.findByKey(key);
  if (found === undefined) return undefined;
  if (found.hash !== "" && found.hash !== keyHash) {
    throw new AppError(
      "VALIDATION",
      `the idempotency key '${key}' was used before with another request`,
    );
  }
  const entry = logs.find(found);
  const transaction = entry === undefined ? undefined : transactionOf(entry.data);
  return {
    logId: found.id,
    isReplay: true,
    ...(transaction === undefined ? {} : { transaction }),
  };
}
