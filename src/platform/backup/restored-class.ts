import type { RestoreAnswers, ObjectRestoreStep } from "./object-restoration.ts";
import { callObject } from "#platform/objects/call.ts";
import type { Result } from "#platform/result.ts";

/** An object into which saved rows come back. */
export interface RestoredObject {
  readonly restoreTables: (
    step: ObjectRestoreStep,
  ) => Promise<Result<RestoreAnswers[ObjectRestoreStep["kind"]]>>;
}

/**
 * How a restore brings the objects of a class back: their rows come back into the object of the same name, which then fits them to what the
 * database and the ledgers of the backup know; or the rows stay in the backup, because sweeps make them anew from the database.
 */
export type RestoredBy = "database" | ((env: Env, name: string) => RestoredObject);

/**
 * Longest wait for an object that takes rows, and for one that fits them to the database, in milliseconds. A command waits longer for the
 * answer, so that it sees it.
 */
const TIMEOUT_MS = 30_000;
const END_TIMEOUT_MS = 120_000;

/** Lets an object do a step of its restoration. Each may be repeated. Throws its failure, and `OVERLOADED` if it does not answer. */
export async function restoreStep<K extends ObjectRestoreStep["kind"]>(
  object: RestoredObject,
  step: Extract<ObjectRestoreStep, { readonly kind: K }>,
): Promise<RestoreAnswers[K]> {
  const answer = await callObject(object.restoreTables(step), {
    object: "object",
    isRepeatable: true,
    timeoutMs: step.kind === "end" ? END_TIMEOUT_MS : TIMEOUT_MS,
  });
  return answer as RestoreAnswers[K]; // the answer of a step of this kind
}
