import { describe, expect, test } from "vitest";
import type { BulkElement, BulkOptions, Outcome } from "#ledger-engine/rules/writes.ts";
import {
  type ExecuteBulk,
  executeAtomically,
  executeInBatches,
} from "#modules/ledger/bulk/bulk-stream.ts";
import type { StreamElement } from "#modules/ledger/bulk/elements.ts";
import {
  ATOMIC_BYTES_MAX,
  ATOMIC_ELEMENTS_MAX,
  BATCH_BYTES_MAX,
  BATCH_ELEMENTS_MAX,
  FAILURES_LENGTH_MAX,
  STREAM_ELEMENTS_MAX,
} from "#modules/ledger/bulk/limits.ts";
import { AppError } from "#platform/errors.ts";
import type { Result } from "#platform/result.ts";
import { create, element, posting } from "#test/support/ledger-engine/fixtures.ts";
import { elementsOf } from "#test/support/platform/streams.ts";

const GOOD = element(create(posting("world -> a", 1)));
const BAD: BulkElement = {
  command: { ok: false, failure: { kind: "INSUFFICIENT_FUND", message: "short" } },
  idempotencyKey: "",
};
const BROKEN: Result<StreamElement> = {
  ok: false,
  failure: { kind: "VALIDATION", message: "oops" },
};
const STOP = { continueOnFailure: false };
const GO_ON = { continueOnFailure: true };

const item = (bulkElement = GOOD, size = 100): Result<StreamElement> => ({
  ok: true,
  value: { action: "CREATE_TRANSACTION", element: bulkElement, size },
});

function* repeat(count: number, size?: number): Generator<Result<StreamElement>> {
  for (let index = 0; index < count; index++) yield item(GOOD, size);
}

/** A ledger that records the sizes of its calls, and numbers results over the whole stream. */
function recorder() {
  const calls: number[] = [];
  let executed = 0;
  const execute: ExecuteBulk = async (elements, options) => {
    calls.push(elements.length);
    // A real call takes some time.
    await new Promise((resolve) => setImmediate(resolve));
    const results = run(elements, options, executed);
    executed += results.length;
    return results;
  };
  return { calls, execute };
}

function run(
  elements: readonly BulkElement[],
  { continueOnFailure }: BulkOptions,
  before: number,
): Result<Outcome>[] {
  const results: Result<Outcome>[] = [];
  for (const [index, { command }] of elements.entries()) {
    const outcome = { logId: before + index + 1, isReplay: false };
    results.push(command.ok ? { ok: true, value: outcome } : command);
    if (!command.ok && !continueOnFailure) break;
  }
  return results;
}

const idsOf = (results: readonly { result: Result<Outcome> | undefined }[]) =>
  results.map(({ result }) =>
    result === undefined ? "skipped" : result.ok ? result.value.logId : result.failure.kind,
  );

describe("a stream", () => {
  test("a stream of elements is executed in order, in batches of a limited number", async () => {
    const { calls, execute } = recorder();
    const count = 2 * BATCH_ELEMENTS_MAX + 7;
    const { results, failure } = await executeInBatches(elementsOf(repeat(count)), execute, STOP);
    expect(idsOf(results)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
    expect(failure).toBeUndefined();
    expect(calls).toEqual([1, BATCH_ELEMENTS_MAX, BATCH_ELEMENTS_MAX, 6]);
  });

  test("a stream of elements is executed in batches of a limited size", async () => {
    const { calls, execute } = recorder();
    const elements = elementsOf(repeat(7, BATCH_BYTES_MAX / 2));
    await executeInBatches(elements, execute, STOP);
    expect(calls).toEqual([1, 2, 2, 2]);
  });

  test("a stream of elements is not read further than a batch ahead of the one under way", async () => {
    const { calls, execute } = recorder();
    let read = 0;
    let ahead = 0;
    function* counted() {
      for (const element of repeat(20 * BATCH_ELEMENTS_MAX)) {
        read++;
        yield element;
      }
    }
    const noting: ExecuteBulk = async (elements, options) => {
      const results = await execute(elements, options);
      ahead = Math.max(ahead, read - calls.reduce((sum, size) => sum + size, 0));
      return results;
    };
    await executeInBatches(elementsOf(counted()), noting, STOP);
    expect(read).toBe(20 * BATCH_ELEMENTS_MAX);
    expect(ahead).toBeLessThanOrEqual(BATCH_ELEMENTS_MAX + 1);
  });

  test("a stream of elements goes on where a call left off that executed only some elements", async () => {
    const { calls, execute } = recorder();
    const limited: ExecuteBulk = (elements, options) => execute(elements.slice(0, 2), options);
    const elements = [...repeat(4), item(BAD), ...repeat(3)];
    const all = await executeInBatches(elementsOf(elements), limited, GO_ON);
    expect(idsOf(all.results)).toEqual([1, 2, 3, 4, "INSUFFICIENT_FUND", 6, 7, 8]);
    expect(calls).toEqual([1, 2, 2, 2, 1]);
    const some = await executeInBatches(elementsOf(elements), limited, STOP);
    expect(idsOf(some.results).slice(4)).toEqual([
      "INSUFFICIENT_FUND",
      "skipped",
      "skipped",
      "skipped",
    ]);
  });

  test("a stream of elements that is slow does not wait for a full batch", async () => {
    const { calls, execute } = recorder();
    const executedBefore: number[] = [];
    async function* slow() {
      for (const element of repeat(3)) {
        executedBefore.push(calls.length);
        yield element;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
    await executeInBatches(slow(), execute, STOP);
    expect(executedBefore).toEqual([0, 1, 2]);
    expect(calls).toEqual([1, 1, 1]);
  });

  test("a stream of elements sends what came meanwhile when a call ends, even if nothing follows", async () => {
    const { calls, execute } = recorder();
    const end = Promise.withResolvers<void>();
    async function* twoAtOnce() {
      yield item();
      yield item();
      yield item();
      await end.promise;
    }
    const outcome = executeInBatches(twoAtOnce(), execute, STOP);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(calls).toEqual([1, 2]);
    end.resolve();
    expect(idsOf((await outcome).results)).toEqual([1, 2, 3]);
  });

  test("a stream of elements ends at its first failure, across batches: what follows is read and not tried", async () => {
    const { calls, execute } = recorder();
    const elements = [item(), item(), item(BAD), item(), ...repeat(2 * BATCH_ELEMENTS_MAX)];
    const { results } = await executeInBatches(elementsOf(elements), execute, STOP);
    const skipped = elements.slice(3).map(() => "skipped");
    expect(idsOf(results)).toEqual([1, 2, "INSUFFICIENT_FUND", ...skipped]);
    expect(calls).toEqual([1, BATCH_ELEMENTS_MAX]);
  });

  test("a stream of elements goes on after failures if it is told to", async () => {
    const { execute } = recorder();
    const elements = [item(), item(BAD), item(), item(BAD)];
    const { results } = await executeInBatches(elementsOf(elements), execute, GO_ON);
    expect(idsOf(results)).toEqual([1, "INSUFFICIENT_FUND", 3, "INSUFFICIENT_FUND"]);
  });

  test("a stream of elements that is broken keeps the elements before", async () => {
    const { execute } = recorder();
    const elements = [item(), item(), item(), BROKEN];
    const outcome = await executeInBatches(elementsOf(elements), execute, STOP);
    expect(idsOf(outcome.results)).toEqual([1, 2, 3]);
    expect(outcome.failure).toMatchObject({ kind: "VALIDATION", message: "oops" });
  });

  test("a stream of elements without elements makes no call", async () => {
    const { calls, execute } = recorder();
    expect(await executeInBatches(elementsOf([]), execute, STOP)).toEqual({ results: [] });
    expect(await executeInBatches(elementsOf([BROKEN]), execute, STOP)).toMatchObject({
      results: [],
      failure: { kind: "VALIDATION" },
    });
    expect(calls).toEqual([]);
  });

  test("a stream of elements is limited in the number of its elements, and those within the limit are kept", async () => {
    const { execute } = recorder();
    const elements = elementsOf(repeat(STREAM_ELEMENTS_MAX + 5));
    const { results, failure } = await executeInBatches(elements, execute, STOP);
    expect(results).toHaveLength(STREAM_ELEMENTS_MAX);
    expect(results.every(({ result }) => result?.ok)).toBe(true);
    expect(failure?.kind).toBe("BULK_SIZE_EXCEEDED");
    const most = elementsOf(repeat(STREAM_ELEMENTS_MAX));
    expect((await executeInBatches(most, execute, STOP)).failure).toBeUndefined();
  });

  test("a stream of elements is limited in the length of its failures", async () => {
    const message = "x".repeat(FAILURES_LENGTH_MAX / 1000);
    const verbose: BulkElement = {
      command: { ok: false, failure: { kind: "VALIDATION", message } },
      idempotencyKey: "",
    };
    const { execute } = recorder();
    const elements = Array.from({ length: 5000 }, () => item(verbose));
    const { results, failure } = await executeInBatches(elementsOf(elements), execute, GO_ON);
    expect(failure?.kind).toBe("BULK_SIZE_EXCEEDED");
    expect(results.length).toBeGreaterThan(1000);
    expect(results.length).toBeLessThan(1000 + 3 * BATCH_ELEMENTS_MAX);
  });

  test.each<[string, () => Promise<never>]>([
    [
      "throws at once",
      () => {
        throw new AppError("OVERLOADED", "busy");
      },
    ],
    ["fails later", () => Promise.reject(new AppError("OVERLOADED", "busy"))],
  ])("a stream whose call %s ends there, and reports how much is kept", async (_, fail) => {
    const { calls, execute } = recorder();
    const failing: ExecuteBulk = (elements, options) =>
      calls.length === 2 ? fail() : execute(elements, options);
    const elements = elementsOf(repeat(5 * BATCH_ELEMENTS_MAX));
    await expect(executeInBatches(elements, failing, STOP)).rejects.toMatchObject({
      kind: "OVERLOADED",
      message: "busy",
      details: `${BATCH_ELEMENTS_MAX + 1} elements of the stream were executed before, and are kept`,
    });
    expect(calls).toHaveLength(2);
  });

  test("a stream of elements whose first call fails fails with the same error", async () => {
    const unknown = new AppError("LEDGER_NOT_FOUND", "ledger not found");
    const failing: ExecuteBulk = () => Promise.reject(unknown);
    await expect(executeInBatches(elementsOf(repeat(9)), failing, STOP)).rejects.toBe(unknown);
  });
});

describe("an atomic stream", () => {
  test("an atomic stream is executed in one call", async () => {
    const { calls, execute } = recorder();
    const elements = elementsOf([...repeat(2 * BATCH_ELEMENTS_MAX), item(BAD), item()]);
    const { results } = await executeAtomically(elements, execute, STOP);
    expect(calls).toEqual([2 * BATCH_ELEMENTS_MAX + 2]);
    expect(idsOf(results).slice(-3)).toEqual([1000, "INSUFFICIENT_FUND", "skipped"]);
  });

  test.each([
    ["broken", [item(), BROKEN], "VALIDATION"],
    ["too long", repeat(ATOMIC_ELEMENTS_MAX + 1, 1), "BULK_SIZE_EXCEEDED"],
    ["too large", repeat(3, ATOMIC_BYTES_MAX / 2), "BULK_SIZE_EXCEEDED"],
  ])("an atomic stream that is %s is not executed", async (_, elements, kind) => {
    const { calls, execute } = recorder();
    await expect(executeAtomically(elementsOf(elements), execute, STOP)).rejects.toMatchObject({
      kind,
    });
    expect(calls).toEqual([]);
  });
});
