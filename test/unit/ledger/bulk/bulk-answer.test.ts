import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseBulk, toBulkElement } from "#ledger-engine/requests/commands.ts";
import { writeBulk } from "#modules/ledger/answers/bulk-body.ts";
import { toStreamAnswer } from "#modules/ledger/bulk/bulk-answer.ts";
import { executeInBatches, type StreamOutcome } from "#modules/ledger/bulk/bulk-stream.ts";
import { readElements } from "#modules/ledger/bulk/elements.ts";
import type { FailureKind } from "#platform/errors.ts";
import { respondInPages } from "#platform/http/answers.ts";
import {
  at,
  create,
  posting,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { bytesOf, chunksOf } from "#test/support/platform/streams.ts";
import { runsOf } from "#test/support/runner/runs.ts";

/** Sends a JSON stream to a ledger; returns the answer. */
async function answerOf(ledger: TestLedger, chunks: readonly Uint8Array[], bytesMax: number) {
  async function* arriving() {
    yield* chunks;
  }
  const outcome = await executeInBatches(
    readElements(arriving(), "json"),
    async (elements, options) => ledger.engine.executeBulk(elements, options),
    { continueOnFailure: true },
  );
  return { outcome, answer: await write(ledger, outcome, bytesMax) };
}

async function write(ledger: TestLedger, outcome: StreamOutcome, bytesMax: number) {
  const answer = toStreamAnswer(outcome, async (logIds) => {
    const committed = ledger.engine.readCommitted(logIds, { bytesMax });
    return new Map(committed.map(({ logId, transaction }) => [logId, transaction]));
  });
  const response = await respondInPages(answer, { request: { id: "1", ticket: undefined } });
  return { status: response.status, text: await response.text() };
}

const account = fc.constantFrom("world", "a", "b");
const data = fc.record({
  postings: fc.array(
    fc.record({
      source: account,
      destination: account,
      amount: fc.integer({ min: 0, max: 3 }),
      asset: fc.constantFrom("USD", "EUR/2"),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  reference: fc.constantFrom("", "", "r1", "r2"),
  timestamp: fc.constantFrom(null, null, "2026-02-01T00:00:00Z"),
});
const keys = fc.constantFrom("", "", "", "k1", "k2");
const target = { targetType: "TRANSACTION", targetId: 1 };
const elements = fc.oneof(
  {
    arbitrary: fc.record({ action: fc.constant("CREATE_TRANSACTION"), ik: keys, data }),
    weight: 4,
  },
  fc.constant({ action: "REVERT_TRANSACTION", data: { id: 1 } }),
  fc.constant({ action: "ADD_METADATA", data: { ...target, metadata: { k: "v" } } }),
  fc.constant({ action: "DELETE_METADATA", data: { ...target, key: "k" } }),
);

describe("the answer to a stream", () => {
  test("the answer to a stream is that of the array, in any chunks and pages", async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.array(elements, { maxLength: 12 }), sizes, async (items, chunks) => {
        const stream = bytesOf(items.map((item) => JSON.stringify(item)).join(""));
        const parsed = parseBulk(items).map(toBulkElement);
        const options = { atomic: false, continueOnFailure: true };
        const results = new TestLedger().engine.executeBulk(parsed, options);
        const { body, isDone } = writeBulk(parsed, results, "integer");
        const expected: unknown = JSON.parse(body);
        for (const bytesMax of [1, 1_000_000]) {
          const { answer } = await answerOf(new TestLedger(), chunksOf(stream, chunks), bytesMax);
          expect(JSON.parse(answer.text)).toEqual(expected);
          expect(answer.status).toBe(isDone ? 200 : 400);
        }
      }),
      { numRuns: runsOf(60) },
    );
  });

  test("the answer to a stream shows transactions as they were committed, whatever happened later", async () => {
    const ledger = new TestLedger();
    const stream = bytesOf(
      '{"action":"CREATE_TRANSACTION","data":{"postings":[{"source":"world","destination":"a","amount":1,"asset":"USD"}]}}',
    );
    const { outcome, answer } = await answerOf(ledger, [stream], 1000);
    ledger.commit(create(posting("world -> a", 5), { timestamp: at("09:00") }));
    ledger.run(setMetadata(1, { k: "v" }));
    expect(await write(ledger, outcome, 1000)).toEqual(answer);
  });

  const FAILED: StreamOutcome["results"] = [
    {
      action: "CREATE_TRANSACTION",
      result: { ok: false, failure: { kind: "CONFLICT", message: "taken" } },
    },
  ];
  const broken = (kind: FailureKind) => ({ failure: { kind, message: "broken", details: "why" } });
  const conflict = { errorCode: "CONFLICT", errorMessage: "[CONFLICT] taken" };

  test.each<[string, StreamOutcome, [number, object]]>([
    ["nothing failed", { results: [] }, [200, {}]],
    [
      "the stream is broken",
      { results: [], ...broken("VALIDATION") },
      [400, { errorCode: "VALIDATION", errorMessage: "[VALIDATION] broken", details: "why" }],
    ],
    [
      "the stream is too long",
      { results: [], ...broken("BULK_SIZE_EXCEEDED") },
      [
        413,
        {
          errorCode: "BULK_SIZE_EXCEEDED",
          errorMessage: "[BULK_SIZE_EXCEEDED] broken",
          details: "why",
        },
      ],
    ],
    ["an element failed", { results: FAILED }, [400, conflict]],
    [
      "an element failed, and then the stream is broken",
      { results: FAILED, ...broken("BULK_SIZE_EXCEEDED") },
      [400, { ...conflict, details: "the stream broke off: broken" }],
    ],
  ])("the answer to a stream reports when %s", async (_, outcome, [status, members]) => {
    const { text, ...answer } = await write(new TestLedger(), outcome, 1000);
    expect(answer).toEqual({ status });
    const { data, ...rest } = JSON.parse(text) as { data: unknown[] }; // every answer to a bulk has this shape
    expect(data).toHaveLength(outcome.results.length);
    expect(rest).toEqual(members);
  });
});
