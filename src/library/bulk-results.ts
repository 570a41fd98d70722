import { type Entry, toLedgerError } from "./error.ts";
import type { BulkResult } from "./types.ts";
import { toTransaction } from "./views.ts";
import type { Outcome } from "#ledger-engine";
import type { Result } from "#platform/result.ts";

/** The public result of a bulk's element. An undefined `result` stands for an element that was not tried. */
export function toBulkResult(
  result: Result<Outcome> | undefined,
  { isUndone, entry }: { isUndone: boolean; entry: Entry },
): BulkResult {
  if (result === undefined) return { status: "skipped" };
  if (!result.ok) return { status: "failed", error: toLedgerError(result.failure, entry) };
  if (isUndone) return { status: "undone" };
  const { logId, transaction } = result.value;
  return {
    status: "done",
    logId,
    ...(transaction === undefined ? {} : { transaction: toTransaction(transaction) }),
  };
}
