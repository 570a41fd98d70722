import { describe, expect, test } from "vitest";
import {
  type Case,
  expectedOf,
  expectedReads,
  loadCases,
  MemoryReader,
  type Outcome,
  outcomeOf,
  RUNTIMES,
  surroundingsOf,
} from "#test/support/numscript/cases.ts";

/** The prefix with the step at which the reference machine failed, which Florin's messages do not have. */
const STAGE =
  /^failed to (set vars from JSON|resolve resources|resolve balances|execute machine): /;

/** Cases whose message differs on purpose, each with the reason. Their error codes agree. */
const OTHER_TEXTS: ReadonlyMap<string, string> = new Map([
  ["B14 machine", "not the words of another language's JSON decoder"],
  ["B15 machine", "not the words of another language's JSON decoder"],
  ["B16 machine", "not the words of another language's JSON decoder"],
  ["C02 machine", "says which account there is none of"],
  ["C02 experimental-interpreter", "says which account there is none of"],
  ["D03 machine", "says what went wrong, not which instruction"],
  ["D15 machine", "says which escape is meant"],
  ["F19 experimental-interpreter", "a share below zero is refused, not the posting made from it"],
]);

describe.each(RUNTIMES)("%s", (runtime) => {
  const cases = loadCases("numscript").filter((line) => expectedOf(line, runtime) !== undefined);

  test.each(cases)("$id: $n", (line) => {
    const { text, ...expected } = readExpected(expectedOf(line, runtime) ?? {});
    const reader = new MemoryReader(surroundingsOf(line));
    const { msg, ...outcome } = outcomeOf(line.s, runtime, { ...surroundingsOf(line), reader });

    if (expected.e === "CRASH") {
      // Scripts that crash the reference are refused with a reason.
      expect(outcome).toEqual({ e: "INTERNAL" });
      expect(msg).toMatch(/\w/);
    } else {
      expect(outcome).toEqual(expected);
    }
    const isOther = OTHER_TEXTS.has(`${line.id} ${runtime}`);
    if (text !== undefined && isOther) expect(msg).not.toBe(text);
    else if (text !== undefined) expect(msg).toBe(text);
    const reads = expectedReads(line, runtime);
    if (reads !== undefined) expect(reader.reads).toEqual(reads);
  });

  test("the runtime gives the same postings as the reference for scripts written at random", () => {
    const failing = loadCases("numscript-random").filter((line) => !passes(line));

    expect(failing.map(({ id }) => id)).toEqual([]);
  });

  function passes(line: Case): boolean {
    const expected = expectedOf(line, runtime);
    if (expected === undefined) return true;
    const { e, p } = outcomeOf(line.s, runtime, surroundingsOf(line));
    return e === expected.e && p?.join("\n") === expected.p?.join("\n");
  }
});

const readExpected = ({ msg, ...outcome }: Outcome): Outcome & { text?: string | undefined } => ({
  ...outcome,
  text: msg?.replace(STAGE, ""),
});

test("the fixtures are all there", () => {
  expect(loadCases("numscript")).toHaveLength(216);
  expect(loadCases("numscript-random")).toHaveLength(2000);
});
