import type { z } from "@hono/zod-openapi";
import type { BulkResponse, BulkResultResponse } from "./bulk-schemas.ts";
import type { BulkElementRequest } from "./schemas.ts";
import {
  ledgerErrors,
  toTransactionView,
  writeTransaction,
  type AmountForm,
  type BulkElement,
  type Command,
  type Outcome,
} from "#ledger-engine";
import { assert } from "#platform/assert.ts";
import type { Failure } from "#platform/errors.ts";
import { type JsonText, stringifyJson } from "#platform/json.ts";
import type { Result } from "#platform/result.ts";

/** The result of elements that were not run because an earlier one failed. */
const SKIPPED = {
  errorCode: "INTERNAL",
  errorDescription: "context canceled",
  responseType: "ERROR",
  logID: 0,
} as const;

export interface WrittenBulk {
  readonly body: JsonText<z.input<typeof BulkResponse>>;
  /** Whether every element succeeded. */
  readonly isDone: boolean;
}

/**
 * Writes the answer to a bulk, with a result for each element. Elements behind a failure that ended the bulk were not run, and their
 * results say so. An answer may have a megabyte, so that its pieces are joined only once.
 */
export function writeBulk(
  elements: readonly BulkElement[],
  results: readonly Result<Outcome>[],
  amounts: AmountForm,
): WrittenBulk {
  const pieces = ['{"data":['];
  for (const [index, { command }] of elements.entries()) {
    if (index > 0) pieces.push(",");
    pieces.push(bulkResultText(command, results[index], amounts));
  }
  const failure = results.find((result) => !result.ok)?.failure;
  pieces.push(
    failure === undefined ? "]}" : `],${stringifyJson(toBulkFailureView(failure)).slice(1)}`,
  );
  return { body: pieces.join("") as WrittenBulk["body"], isDone: failure === undefined }; // the body has the members of `BulkResponse`
}

function bulkResultText(
  command: Result<Command>,
  result: Result<Outcome> | undefined,
  amounts: AmountForm,
): string {
  if (result?.ok !== true) return stringifyJson(toBulkFailureResultView(result));
  assert(command.ok, "only a valid command succeeds");
  const { transaction, logId } = result.value;
  const data = transaction === undefined ? "" : `"data":${writeTransaction(transaction, amounts)},`;
  return `{${data}"responseType":"${actionOf(command.value)}","logID":${logId}}`;
}

/** The action of a bulk by which clients ask for a command. */
function actionOf({ kind }: Command): BulkElementRequest["action"] {
  assert(kind !== "insertSchema", "a bulk has no action that inserts a schema");
  return ACTIONS[kind];
}

const ACTIONS = {
  createTransaction: "CREATE_TRANSACTION",
  runScript: "CREATE_TRANSACTION",
  revertTransaction: "REVERT_TRANSACTION",
  setMetadata: "ADD_METADATA",
  deleteMetadata: "DELETE_METADATA",
} as const satisfies Record<Exclude<Command["kind"], "insertSchema">, BulkElementRequest["action"]>;

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
function toBulkFailureResultView(
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
