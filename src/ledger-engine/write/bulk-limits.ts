import {
  BULK_ANSWER_BYTES_MAX,
  BULK_STEPS_MAX,
  transactionBytes,
} from "#ledger-engine/rules/limits.ts";
import type { Outcome } from "#ledger-engine/rules/writes.ts";
import { AppError } from "#platform/errors.ts";
import type { Result } from "#platform/result.ts";

/** Ends a whole bulk. It is no `AppError`, because an `AppError` fails only one element. */
export class BulkOverflow extends Error {
  toAppError(): AppError {
    return new AppError("BULK_SIZE_EXCEEDED", `${this.message}: send fewer elements at a time`, {
      cause: this,
    });
  }
}

/** The limits that the elements of a bulk share. */
export class BulkLimits {
  readonly #stepsBefore: number;
  #answerBytes = 0;

  /** `steps` is the engine's total work before the bulk. */
  constructor(steps: number) {
    this.#stepsBefore = steps;
  }

  /** Counts a result; `steps` is the engine's total work so far. Returns an error if a limit is exceeded. */
  add(result: Result<Outcome>, steps: number): BulkOverflow | undefined {
    this.#answerBytes += bytesOf(result);
    if (this.#answerBytes > BULK_ANSWER_BYTES_MAX) {
      return new BulkOverflow(`the answer would be larger than ${BULK_ANSWER_BYTES_MAX} bytes`);
    }
    if (steps - this.#stepsBefore > BULK_STEPS_MAX) {
      return new BulkOverflow(`the elements take more than ${BULK_STEPS_MAX} steps of work`);
    }
  }
}

/** A result without its transaction, which is read again later. */
export function toBrief(result: Result<Outcome>): Result<Outcome> {
  if (!result.ok) {
    const { kind, message } = result.failure;
    return { ok: false, failure: { kind, message } };
  }
  const { logId, isReplay } = result.value;
  return { ok: true, value: { logId, isReplay } };
}

/** The approximate size of a result in the answer, in bytes. */
function bytesOf(result: Result<Outcome>): number {
  if (!result.ok) return RESULT_BYTES + result.failure.message.length;
  const { transaction } = result.value;
  return transaction === undefined ? RESULT_BYTES : transactionBytes(transaction);
}

const RESULT_BYTES = 500;

/** The sum of work in steps of scripts: rewritten moves and pairs of metadata are converted to steps. */
export const stepsOf = (work: {
  readonly ruleSteps: number;
  readonly rewrittenMoves: number;
  readonly metadataPairs: number;
}): number =>
  work.ruleSteps +
  Math.floor(work.rewrittenMoves / MOVES_PER_STEP) +
  work.metadataPairs * STEPS_PER_PAIR;

/** Rewriting this many moves takes as long as one step of a script. */
const MOVES_PER_STEP = 4;
/** Comparing, measuring and writing one pair of metadata takes as long as this many steps of a script. */
const STEPS_PER_PAIR = 3;
