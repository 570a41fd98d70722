import { describe, expect, test, vi } from "vitest";
import { log } from "#platform/log.ts";
import {
  Cause,
  causeOfCall,
  currentCause,
  runCaused,
  runCausedBy,
} from "#platform/tracing/cause.ts";

const ID = "0c6f1c7e-4a51-4b6c-9d39-5f8f2d1c9a11";
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = `00-${TRACE}-00f067aa0ba902b7-00`;
const RAY = "8f0a1b2c3d4e5f60-ZRH";

const traced = (id: string) =>
  Cause.ofRequest(id, new Headers({ traceparent: PARENT, tracestate: "a=1, b=x y" }));

describe("a cause", () => {
  test("each call is a span of its own in the request's trace, with its flags and state", () => {
    const cause = traced(ID);
    const [one, two] = [cause.callHeaders(), cause.callHeaders()];
    expect(one.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
    expect(one.traceparent).not.toBe(two.traceparent);
    expect(one.traceparent).not.toBe(PARENT);
    expect(one.tracestate).toBe("a=1,b=x y");
  });

  test("a request without a valid trace begins one, which its id names", () => {
    for (const headers of [new Headers(), new Headers({ traceparent: "00-1-2-3" })]) {
      const cause = Cause.ofRequest(ID, headers);
      expect(cause.traceId).toBe(ID.replaceAll("-", ""));
      const { traceparent, ...others } = cause.callHeaders();
      expect(traceparent).toMatch(/^00-0c6f1c7e4a514b6c9d395f8f2d1c9a11-[0-9a-f]{16}-01$/);
      expect(others).toEqual({});
    }
  });

  test.each([
    ["a request in a trace", traced(ID)],
    ["a request of the edge in a trace", traced(RAY)],
    ["a request without a trace", Cause.ofRequest(ID, new Headers())],
    ["a request of the edge without a trace", Cause.ofRequest(RAY, new Headers())],
  ])("%s has the same trace and id when it was stored and read", (_what, cause) => {
    const read = Cause.parse(cause.toText());
    expect(read.requestId).toBe(cause.requestId);
    expect(read.traceId).toBe(cause.traceId);
    expect(read.callHeaders().tracestate).toBe(cause.callHeaders().tracestate);
    expect(read.callHeaders().traceparent?.slice(-2)).toBe(
      cause.callHeaders().traceparent?.slice(-2),
    );
    expect(read.toText()).toBe(cause.toText());
  });

  test("a request without a trace is stored as its id alone", () => {
    expect(Cause.ofRequest(ID, new Headers()).toText()).toBe(ID);
  });

  test("work and everything that it waits for has the cause, and nothing else has", async () => {
    const seen = await runCaused(traced(ID), async () => {
      await Promise.resolve();
      return currentCause()?.requestId;
    });
    expect(seen).toBe(ID);
    expect(currentCause()).toBeUndefined();
  });

  test("work without a stored cause keeps that of its caller", () => {
    const seen = runCaused(traced(ID), () => [
      runCausedBy(null, () => currentCause()?.requestId),
      runCausedBy("other", () => currentCause()?.requestId),
    ]);
    expect(seen).toEqual([ID, "other"]);
  });

  test("a call of work that began by itself is a trace of its own", () => {
    expect(causeOfCall().traceId).not.toBe(causeOfCall().traceId);
    expect(causeOfCall().callHeaders().traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(runCaused(traced(ID), () => causeOfCall().traceId)).toBe(TRACE);
  });

  test("log lines have the ids of the request and of the trace", () => {
    const written = vi.spyOn(console, "info").mockReturnValue(undefined);
    runCaused(traced(ID), () => log("info", "told"));
    runCaused(traced(ID), () => log("info", "told", { requestId: "of-another" }));
    log("info", "told");
    const lines = written.mock.calls.map(([line]) => JSON.parse(String(line)) as object);
    expect(lines).toMatchObject([
      { requestId: ID, traceId: TRACE },
      { requestId: "of-another", traceId: TRACE },
      { message: "told" },
    ]);
    expect(lines[2]).not.toHaveProperty("requestId");
    expect(lines[2]).not.toHaveProperty("traceId");
  });
});
