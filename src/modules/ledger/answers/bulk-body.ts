import type { z } from "@hono/zod-openapi";
import {
  type AmountForm,
  writeOutcome,
  writeTransaction,
  type WrittenOutcome,
} from "./result-json.ts";
import type { BulkElement, Command, Outcome } from "#ledger-engine";
import type { BulkResponse } from "#modules/ledger/wire/bulk-schemas.ts";
import { toBulkFailureResultView, toBulkFailureView } from "#modules/ledger/wire/bulk-views.ts";
import type { BulkElementRequest } from "#modules/ledger/wire/schemas.ts";
import { assert } from "#platform/assert.ts";
import { type JsonText, stringifyJson } from "#platform/json.ts";
import { mapResult, type Result } from "#platform/result.ts";

export interface WrittenBulk {
  readonly body: JsonText<z.input<typeof BulkResponse>>;
  /** Whether every element succeeded. */
  readonly isDone: boolean;
}

/** How the object of a ledger answers a bulk. */
export interface BulkForm {
  /** Whether it writes the body. A Worker of 0.2.0 leaves it out, and gets the written results. */
  readonly asBody?: true | undefined;
}

/** The answer of the object of a ledger to a bulk. An object with the code of 0.2.0 knows no body, and gives the written results. */
export type BulkAnswer = WrittenBulk | Result<WrittenOutcome>[];

/** Makes the answer of the object, in the form that the Worker knows. */
export const toBulkAnswer = (
  elements: readonly BulkElement[],
  results: readonly Result<Outcome>[],
  { amounts, asBody }: BulkForm & { readonly amounts: AmountForm },
): BulkAnswer =>
  asBody === true
    ? writeBulk(elements, results, amounts)
    : results.map((result) => mapResult(result, (made) => writeOutcome(made, amounts)));

/** The kinds of the commands of a bulk, in order; undefined for an invalid command. */
type Kinds = readonly (Command["kind"] | undefined)[];

export const kindsOf = (elements: readonly BulkElement[]): Kinds =>
  elements.map(({ command }) => (command.ok ? command.value.kind : undefined));

/** The body of the answer to a bulk with commands of these kinds, whichever code the object has. */
export const toBulkBody = (kinds: Kinds, answer: BulkAnswer): WrittenBulk =>
  Array.isArray(answer) ? writeResults(kinds, answer, (written) => written) : answer;

/** The outcome of an element, whose transaction is written already or not. */
type OutcomeOf<T> = Omit<Outcome, "transaction"> & { readonly transaction?: T };

/** Writes the answer to a bulk. */
export const writeBulk = (
  elements: readonly BulkElement[],
  results: readonly Result<Outcome>[],
  amounts: AmountForm,
): WrittenBulk =>
  writeResults(kindsOf(elements), results, (transaction) => writeTransaction(transaction, amounts));

/**
 * Writes the answer to a bulk, with a result for each element. Elements behind a failure that ended the bulk were not run, and their
 * results say so. An answer may have a megabyte, so that its pieces are joined only once.
 */
function writeResults<T>(
  kinds: Kinds,
  results: readonly Result<OutcomeOf<T>>[],
  write: (transaction: T) => string,
): WrittenBulk {
  const pieces = ['{"data":['];
  for (const [index, kind] of kinds.entries()) {
    if (index > 0) pieces.push(",");
    pieces.push(bulkResultText(kind, results[index], write));
  }
  const failure = results.find((result) => !result.ok)?.failure;
  pieces.push(
    failure === undefined ? "]}" : `],${stringifyJson(toBulkFailureView(failure)).slice(1)}`,
  );
  return { body: pieces.join("") as WrittenBulk["body"], isDone: failure === undefined }; // the body has the members of `BulkResponse`
}

function bulkResultText<T>(
  kind: Kinds[number],
  result: Result<OutcomeOf<T>> | undefined,
  write: (transaction: T) => string,
): string {
  if (result?.ok !== true) return stringifyJson(toBulkFailureResultView(result));
  assert(kind !== undefined, "only a valid command succeeds");
  const { transaction, logId } = result.value;
  const data = transaction === undefined ? "" : `"data":${write(transaction)},`;
  return `{${data}"responseType":"${actionOf(kind)}","logID":${logId}}`;
}

/** The action of a bulk by which clients ask for a command. */
function actionOf(kind: Command["kind"]): BulkElementRequest["action"] {
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
