import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { RequestFacts } from "#platform/http/context.ts";
import { type Answered, logRequest } from "#platform/http/failures/request-log.ts";

const lines: unknown[] = [];
beforeEach(() => {
  lines.length = 0;
  vi.spyOn(console, "warn").mockImplementation((line: string) => void lines.push(JSON.parse(line)));
});
afterEach(() => vi.restoreAllMocks());

/** The lines of a request that was answered with a status after some milliseconds. */
function linesOf(status: number, durationMs: number, more: Partial<Answered> = {}): unknown[] {
  logRequest({
    id: "r",
    method: "GET",
    path: "/api/ledger/v2/a",
    facts: undefined,
    response: new Response(null, { status }),
    durationMs,
    ...more,
  });
  return lines.splice(0);
}

/** The facts of a request to a deployment that logs refused requests, too. */
const FACTS = {
  deployment: { settings: { FLORIN_LOG: "requests" } },
  operation: { operationId: "v2GetLedger" },
  failure: { code: "LEDGER_NOT_FOUND", message: "there is none" },
} as unknown as RequestFacts;

const stream = (type: string) => ({
  response: new Response("", { headers: { "content-type": type } }),
});

describe("a request", () => {
  test("a request is logged where it failed or took a second", () => {
    expect(linesOf(200, 999)).toEqual([]);
    expect(linesOf(200, 1000)).toMatchObject([{ level: "warn", message: "request", status: 200 }]);
    expect(linesOf(500, 1)).toMatchObject([{ requestId: "r", method: "GET", durationMs: 1 }]);
    expect(linesOf(404, 5000)).toHaveLength(1);
  });

  test("a request that was refused is logged where the deployment asks for it, with its code", () => {
    expect(linesOf(404, 1)).toEqual([]);
    expect(linesOf(429, 5000)).toEqual([]);
    expect(linesOf(404, 1, { facts: FACTS })).toMatchObject([
      { operation: "v2GetLedger", status: 404, code: "LEDGER_NOT_FOUND" },
    ]);
    expect(linesOf(429, 5000, { facts: FACTS })).toHaveLength(1);
    expect(linesOf(200, 1, { facts: FACTS })).toEqual([]);
  });

  test("a request for a stream is not slow, however long its reader stays", () => {
    expect(linesOf(200, 60_000, stream("text/event-stream"))).toEqual([]);
    expect(linesOf(200, 60_000, stream("application/x-ndjson; charset=utf-8"))).toEqual([]);
    expect(linesOf(200, 60_000, stream("application/json"))).toHaveLength(1);
  });
});
