import { describe, expect, test } from "vitest";
import {
  formatTraceparent,
  newSpanId,
  newTraceId,
  parseTraceContext,
} from "#platform/tracing/trace-context.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";
const VALID = `00-${TRACE}-${SPAN}-01`;

describe("traceparent", () => {
  test("a valid header is read, and written as it was", () => {
    const context = parseTraceContext(VALID, null);
    expect(context).toEqual({ traceId: TRACE, parentId: SPAN, isSampled: true, state: "" });
    expect(context && formatTraceparent(context)).toBe(VALID);
  });

  test.each([
    ["00", false],
    ["02", false],
    ["03", true],
    ["ff", true],
  ])("of the flags %s, only the one of sampling counts", (flags, isSampled) => {
    expect(parseTraceContext(`00-${TRACE}-${SPAN}-${flags}`, null)?.isSampled).toBe(isSampled);
  });

  test.each([
    ["no header", null],
    ["an empty one", ""],
    ["upper case", VALID.toUpperCase()],
    ["the version ff", `ff-${TRACE}-${SPAN}-01`],
    ["a version of one digit", `0-${TRACE}-${SPAN}-01`],
    ["a trace of zeros", `00-${"0".repeat(32)}-${SPAN}-01`],
    ["a span of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["a short trace", `00-${TRACE.slice(1)}-${SPAN}-01`],
    ["a long span", `00-${TRACE}-${SPAN}0-01`],
    ["flags of one digit", `00-${TRACE}-${SPAN}-1`],
    ["a further field in version 00", `${VALID}-00`],
    ["a hyphen at the end in version 00", `${VALID}-`],
    ["two headers", `${VALID}, ${VALID}`],
  ])("%s is no trace", (_what, text) => {
    expect(parseTraceContext(text, "a=1")).toBeUndefined();
  });

  test("a later version may have further fields, after a hyphen", () => {
    expect(parseTraceContext(`01-${TRACE}-${SPAN}-01`, null)?.traceId).toBe(TRACE);
    expect(parseTraceContext(`cc-${TRACE}-${SPAN}-01-more`, null)?.traceId).toBe(TRACE);
    expect(parseTraceContext(`cc-${TRACE}-${SPAN}-01more`, null)).toBeUndefined();
  });

  test("new ids have the form of the standard, and are not alike", () => {
    expect(newTraceId()).toMatch(/^[0-9a-f]{32}$/);
    expect(newSpanId()).toMatch(/^[0-9a-f]{16}$/);
    expect(newSpanId()).not.toBe(newSpanId());
  });
});

describe("tracestate", () => {
  const stateOf = (text: string) => parseTraceContext(VALID, text)?.state;

  test.each([
    ["rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"],
    ["a=1 , \t b=2", "a=1,b=2"],
    ["a=1,,b=2,", "a=1,b=2"],
    ["tenant@vendor=x y", "tenant@vendor=x y"],
    ["0tenant@vendor=1", "0tenant@vendor=1"],
  ])("%j is passed on as %j", (text, state) => {
    expect(stateOf(text)).toBe(state);
  });

  test.each([
    ["a key in upper case", "A=1"],
    ["a key that begins with a digit", "0a=1"],
    ["no value", "a="],
    ["no equals sign", "a"],
    ["a value with an equals sign", "a=b=c"],
    ["a key twice", "a=1,a=2"],
    ["more than 32 members", Array.from({ length: 33 }, (_, at) => `k${at}=1`).join(",")],
    ["more than 512 characters", `a=${"x".repeat(255)},b=${"x".repeat(255)}`],
    ["a character that is no ASCII", "a=é"],
  ])("%s drops the state, and the trace goes on", (_what, text) => {
    expect(parseTraceContext(VALID, text)).toMatchObject({ traceId: TRACE, state: "" });
  });
});
