import type { z } from "@hono/zod-openapi";
import type { BulkResultResponse } from "./bulk-schemas.ts";
import type { BulkElementRequest } from "./schemas.ts";
import { ledgerErrors, type Outcome, toTransactionView } from "#ledger-engine";
import type { Failure } from "#platform/errors.ts";
import type { Result } from "#platform/result.ts";

/** The result of elements that were not run because an earlier one failed. */
const SKIPPED = {
  errorCode: "INTERNAL",
  errorDescription: "context canceled",
  responseType: "ERROR",
  logID: 0,
} as const;

/** The error of a bulk's first failure, which stands next to the results. */
export const toBulkFailureView = ({ kind, message }: Failure) => ({
  errorCode: ledgerErrors.codeOf(kind),
  errorMessage: `[${ledgerErrors.codeOf(kind)}] ${message}`,
});

export function toBulkResultView(
  action: BulkElementRequest["action"],
  result: Result<Outcome> | undefined,
): z.input<typeof BulkResultResponse> {
  if (result?.ok !== true) return toBulkFailureResultView(result);
  const { transaction, logId } = result.value;
  const data = transaction === undefined ? {} : { data: toTransactionView(transaction) };
  return { ...data, responseType: action, logID: logId };
}

/** The result of an element that failed, or was not run. */
export function toBulkFailureResultView(
  result: { readonly ok: false; readonly failure: Failure } | undefined,
): z.input<typeof BulkResultResponse> {
  if (result === undefined) return SKIPPED;
  const { kind, message } = result.failure;
  return {
    errorCode: ledgerErrors.codeOf(kind),
    errorDescription: message,
    responseType: "ERROR",
    logID: 0,
  };
}
