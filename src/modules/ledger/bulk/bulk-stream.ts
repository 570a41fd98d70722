import type { BulkAction, StreamElement } from "./elements.ts";
import {
  ATOMIC_BYTES_MAX,
  ATOMIC_ELEMENTS_MAX,
  BATCH_BYTES_MAX,
  BATCH_ELEMENTS_MAX,
  FAILURES_LENGTH_MAX,
  STREAM_ELEMENTS_MAX,
} from "./limits.ts";
import type { BulkElement, BulkOptions, Outcome } from "#ledger-engine";
import { assert } from "#platform/assert.ts";
import { AppError, type Failure } from "#platform/errors.ts";
import type { Result } from "#platform/result.ts";

/**
 * Executes elements in one call. Returns a result for each element that was tried. Parts of a stream may be more than one call takes; the
 * other elements are then for another call.
 */
export type ExecuteBulk = (
  elements: readonly BulkElement[],
  options: BulkOptions,
) => Promise<readonly Result<Outcome>[]>;

export interface StreamResult {
  readonly action: BulkAction;
  /** Undefined where the element was not tried, because an earlier one has failed. */
  readonly result: Result<Outcome> | undefined;
}

export interface StreamOutcome {
  readonly results: readonly StreamResult[];
  /** Why the stream was not read to its end. All elements before that have results. */
  readonly failure?: Failure;
}

/**
 * Executes a stream as a whole or not at all. Throws `BULK_SIZE_EXCEEDED`, and the failure of a broken stream; nothing is executed then.
 */
export async function executeAtomically(
  elements: AsyncIterable<Result<StreamElement>>,
  execute: ExecuteBulk,
  options: { readonly continueOnFailure: boolean },
): Promise<StreamOutcome> {
  const held: StreamElement[] = [];
  let size = 0;
  for await (const element of elements) {
    if (!element.ok) throw toError(element.failure);
    held.push(element.value);
    size += element.value.size;
    if (held.length > ATOMIC_ELEMENTS_MAX || size > ATOMIC_BYTES_MAX) {
      throw new AppError(
        "BULK_SIZE_EXCEEDED",
        `an atomic stream is limited to ${ATOMIC_ELEMENTS_MAX} elements and ${ATOMIC_BYTES_MAX} bytes; nothing was executed`,
      );
    }
  }
  const results = await execute(
    held.map(({ element }) => element),
    { ...options, atomic: true },
  );
  return { results: held.map(({ action }, index) => ({ action, result: results[index] })) };
}

/** Executes a stream while it is read, each element on its own. Executed elements stay so, whatever comes after them. */
export async function executeInBatches(
  elements: AsyncIterable<Result<StreamElement>>,
  execute: ExecuteBulk,
  options: { readonly continueOnFailure: boolean },
): Promise<StreamOutcome> {
  const batches = new Batches(execute, options);
  let count = 0;
  for await (const element of elements) {
    if (!element.ok) return await batches.finish(element.failure);
    if (count === STREAM_ELEMENTS_MAX) return await batches.finish(TOO_MANY);
    count++;
    const failure = await batches.add(element.value);
    if (failure !== undefined) return await batches.finish(failure);
  }
  return await batches.finish();
}

const TOO_MANY: Failure = {
  kind: "BULK_SIZE_EXCEEDED",
  message: `a stream is limited to ${STREAM_ELEMENTS_MAX} elements: what follows was not read`,
};

const TOO_MANY_FAILURES: Failure = {
  kind: "BULK_SIZE_EXCEEDED",
  message: `the errors of a stream are limited to ${FAILURES_LENGTH_MAX} characters: what follows was not read`,
};

/**
 * Sends elements to the ledger, a batch at a time, and collects the next batch while one is under way. A fast stream is thus sent in full
 * batches, and an element of a slow stream does not wait for others.
 */
class Batches {
  readonly #execute: ExecuteBulk;
  readonly #continueOnFailure: boolean;
  readonly #results: StreamResult[] = [];
  #pending: StreamElement[] = [];
  #pendingSize = 0;
  #underWay: Promise<void> | undefined;
  /** The error that ended a call, if there was one. Nothing is sent after it. */
  #error: { readonly thrown: unknown } | undefined;
  /** Whether an element has failed, so that later elements are not tried. */
  #hasStopped = false;
  #failuresLength = 0;

  constructor(
    execute: ExecuteBulk,
    { continueOnFailure }: { readonly continueOnFailure: boolean },
  ) {
    this.#execute = execute;
    this.#continueOnFailure = continueOnFailure;
  }

  /** Adds an element, and waits while enough are pending. Returns why the stream cannot go on, if so. */
  async add(element: StreamElement): Promise<Failure | undefined> {
    this.#pending.push(element);
    this.#pendingSize += element.size;
    if (this.#underWay === undefined) this.#send();
    else if (this.#isFull) await this.#underWay;
    this.#assertSent();
    if (this.#failuresLength > FAILURES_LENGTH_MAX) return TOO_MANY_FAILURES;
  }

  /** Waits until all added elements are executed. */
  async finish(failure?: Failure): Promise<StreamOutcome> {
    while (this.#underWay !== undefined) await this.#underWay;
    this.#assertSent();
    return { results: this.#results, ...(failure === undefined ? {} : { failure }) };
  }

  get #isFull(): boolean {
    return this.#pending.length >= BATCH_ELEMENTS_MAX || this.#pendingSize >= BATCH_BYTES_MAX;
  }

  #send(): void {
    const batch = this.#pending;
    this.#pending = [];
    this.#pendingSize = 0;
    this.#underWay = undefined;
    if (this.#hasStopped) this.#skip(batch);
    else if (batch.length > 0) this.#underWay = this.#run(batch);
  }

  async #run(batch: readonly StreamElement[]): Promise<void> {
    try {
      let rest = batch;
      while (rest.length > 0 && !this.#hasStopped) {
        const results = await this.#call(rest);
        assert(results.length > 0, "a call tries one element at least");
        for (const [index, { action }] of rest.slice(0, results.length).entries()) {
          this.#note({ action, result: results[index] });
        }
        rest = rest.slice(results.length);
      }
      this.#skip(rest);
    } catch (thrown) {
      this.#error = { thrown };
      this.#pending = [];
    }
    this.#send();
  }

  #call(batch: readonly StreamElement[]): Promise<readonly Result<Outcome>[]> {
    const elements = batch.map(({ element }) => element);
    const options = { atomic: false, continueOnFailure: this.#continueOnFailure, isPart: true };
    return Promise.try(this.#execute, elements, options);
  }

  #note(item: StreamResult): void {
    this.#results.push(item);
    if (item.result === undefined || item.result.ok) return;
    this.#failuresLength += item.result.failure.message.length;
    this.#hasStopped ||= !this.#continueOnFailure;
  }

  #skip(batch: readonly StreamElement[]): void {
    for (const { action } of batch) this.#note({ action, result: undefined });
  }

  /**
   * Throws the error that ended a call, if there was one. Its details say how many elements are known to be stored, because no results
   * follow.
   */
  #assertSent(): void {
    if (this.#error === undefined) return;
    const { thrown } = this.#error;
    const kept = this.#results.filter(({ result }) => result?.ok === true).length;
    if (!(thrown instanceof AppError) || kept === 0) throw thrown;
    throw new AppError(thrown.kind, thrown.message, {
      cause: thrown,
      details: `${kept} elements of the stream were executed before, and are kept`,
    });
  }
}

const toError = ({ kind, message, details }: Failure): AppError =>
  new AppError(kind, message, details === undefined ? undefined : { details });
