import { describe, expect, test } from "vitest";
import {
  DEPTH_MAX,
  LITERAL_DIGITS_MAX,
  SOURCE_LENGTH_MAX,
  STEPS_MAX,
  TOKENS_MAX,
} from "#expr/limits.ts";
import { resultOf } from "#test/support/expr/evaluate.ts";

const firstLine = (source: string): string => resultOf(source).split("\n")[0]?.slice(0, 200) ?? "";
const nested = (open: string, close: string, levels: number): string =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;

describe("a text that is too large is refused", () => {
  test.each([
    ["length", `"${"a".repeat(SOURCE_LENGTH_MAX)}"`, "at most 20000 characters"],
    ["tokens", "1;".repeat(TOKENS_MAX / 2 + 1), "at most 10000 tokens"],
    ["digits", "9".repeat(LITERAL_DIGITS_MAX + 1), "at most 1000 digits"],
    ["parentheses", nested("(", ")", DEPTH_MAX + 1), "at most 100 levels"],
    ["arrays", nested("[", "]", DEPTH_MAX + 1), "at most 100 levels"],
    ["indexes", nested("event[", "]", DEPTH_MAX + 1), "at most 100 levels"],
    ["calls", nested("abs(", ")", DEPTH_MAX + 1), "at most 100 levels"],
    ["blocks", nested("if true {", "} else {1}", DEPTH_MAX + 1), "at most 100 levels"],
    ["predicates", nested("map([1], ", ")", DEPTH_MAX + 1), "at most 100 levels"],
    ["signs", `${"-".repeat(DEPTH_MAX + 1)}1`, "at most 100 levels"],
    ["negations", `${"not ".repeat(DEPTH_MAX + 1)}true`, "at most 100 levels"],
    ["powers", `2${" ** 1".repeat(DEPTH_MAX + 1)}`, "at most 100 levels"],
    ["sums", `1${" + 1".repeat(DEPTH_MAX + 1)}`, "at most 100 levels"],
    ["members", `event${".a".repeat(DEPTH_MAX + 1)}`, "at most 100 levels"],
    ["conditions", `${"true ? 1 : ".repeat(DEPTH_MAX + 1)}1`, "at most 100 levels"],
  ])("a text that is too large is refused: %s", (_, source, expected) => {
    expect(firstLine(source)).toContain("refused: ");
    expect(firstLine(source)).toContain(expected);
  });
});

test("a long list of alternatives is not nested", () => {
  const alternatives = Array.from({ length: 800 }, (_, index) => `event.id == "pay_${index}"`);

  expect(resultOf(alternatives.join(" or "))).toBe("true");
});

/** A program with the variables `a0`, `a1`, …, each computed from the variable before, and an expression about the last one. */
function doubled(first: string, step: (before: string) => string, use = "") {
  const steps = Array.from(
    { length: 30 },
    (_, index) => `let a${index + 1} = ${step(`a${index}`)};`,
  );
  return `let a0 = ${first}; ${steps.join(" ")} ${use === "" ? "a30" : use}`;
}

const pair = (it: string): string => `[${it}, ${it}]`;
/** The comparison of two equal arrays that are built separately, because identical arrays need no comparison. */
const compared = doubled("[1]", pair, "a24 == c24")
  .replaceAll("a", "b")
  .replace("b24 == c24", "a24 == b24");

describe("a bomb ends at the limit of steps", () => {
  test.each([
    ["a range", "1..1000000000"],
    ["a range of ranges", "map(1..1000, map(1..1000, #))"],
    ["nested predicates", `${"map(1..60, ".repeat(4)}#${")".repeat(4)}`],
    ["a repeated text", 'repeat("abcdefghij", 1000000)'],
    ["a huge repetition", 'repeat("a", 9007199254740991)'],
    ["a text that doubles", doubled('"0123456789abcdef"', (it) => `${it} + ${it}`)],
    ["an array that doubles", doubled("[1, 2]", (it) => `concat(${it}, ${it})`)],
    ["nested arrays that are printed", doubled("[1]", pair, "string(a24)")],
    ["nested arrays that are compared", doubled("[1]", pair, compared)],
    ["nested arrays that are flattened", doubled("[1]", pair, "flatten(a24)")],
    ["a join", 'join(map(1..3000, repeat("a", 1000)), "")'],
    ["a split", 'split(repeat("a", 1000000), "")'],
    ["a replacement", 'replace(repeat("a", 100000), "a", repeat("b", 100000))'],
    ["uniq of arrays", "uniq(map(1..1000, [#]))"],
    ["a pattern of many states", 'any(1..10000, repeat("a", 1000) matches "(a?){300}(a+)+b")'],
  ])("a bomb ends at the limit of steps: %s", (_, source) => {
    expect(firstLine(source)).toContain(`an evaluation takes at most ${STEPS_MAX} steps`);
  });
});

test("integers do not grow without bounds", () => {
  const squares = Array.from({ length: 20 }, (_, i) => `let a${i + 1} = a${i} * a${i};`).join(" ");

  expect(firstLine(`let a0 = 10; ${squares} a20`)).toContain("an integer has at most 4096 bits");
});

describe("a regular expression takes time in proportion to the text", () => {
  test.each([
    ["nested repetitions", "(a+)+$"],
    ["alternatives", "(a|aa)+$"],
    ["repetitions of groups", "(.*a){20}$"],
    ["counted repetitions", "(a{1,10}){1,10}$"],
  ])("a regular expression takes time in proportion to the text: %s", (_, pattern) => {
    const source = `repeat("a", 200) + "!" matches "${pattern}"`;

    expect(firstLine(source)).toBe("false");
  });

  test.each([
    ["counts", "(a{1000}){1000}", "invalid repeat count"],
    ["states", "((a{0,100}){0,10}b){0,1}".repeat(4), "expression too large"],
    ["depth", `${"(".repeat(101)}a${")".repeat(101)}`, "nests too deeply"],
    ["length", "a".repeat(1001), "more than 1000 characters"],
  ])("a regular expression is too large by its %s", (_, pattern, expected) => {
    expect(firstLine(`"a" matches "${pattern}"`)).toContain(expected);
  });
});
