import type { z } from "@hono/zod-openapi";
import { type AmountForm, writeTransaction } from "./result-json.ts";
import type { BulkElement, Command, Outcome } from "#ledger-engine";
import type { BulkResponse } from "#modules/ledger/wire/bulk-schemas.ts";
import { toBulkFailureResultView, toBulkFailureView } from "#modules/ledger/wire/bulk-views.ts";
import type { BulkElementRequest } from "#modules/ledger/wire/schemas.ts";
import { assert } from "#platform/assert.ts";
import { type JsonText, stringifyJson } from "#platform/json.ts";
import type { Result } from "#platform/result.ts";

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
