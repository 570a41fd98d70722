import { describe, expect, test } from "vitest";
import { checkScript } from "#numscript/check/check.ts";
import {
  DEPTH_MAX,
  DIAGNOSTICS_MAX,
  NAME_LENGTH_MAX,
  NUMBER_DIGITS_MAX,
  PORTION_DIGITS_MAX,
  POSTINGS_MAX,
  SOURCE_LENGTH_MAX,
  STATEMENTS_MAX,
  TEXT_LENGTH_MAX,
  TOKENS_MAX,
  VARIABLES_MAX,
} from "#numscript/limits.ts";
import { printProgram } from "#numscript/print/print.ts";
import type { Runtime } from "#numscript/syntax/ast.ts";
import { parseProgram } from "#numscript/syntax/parser.ts";
import { execute, RUNTIMES, type Surroundings } from "#test/support/numscript/cases.ts";
import { timed } from "#test/support/numscript/cpu-time.ts";

/** The limit of processor time. The scripts take 300 ms at most, so that even a slow machine stays far below it. */
const ANSWER_MS_MAX = 10_000;

/** The limit of a message's length. Longer messages would repeat too much of a hostile script; numbers are shown in full. */
const MESSAGE_LENGTH_MAX = 5 * NUMBER_DIGITS_MAX;

/** The distinct codes of a script's diagnostics, none for a script that runs. Asserts that the answer comes in bounded time. */
function answerTo(script: string, runtime: Runtime, given: Surroundings = {}): string[] {
  const { value: result, cpuMs } = timed(() => {
    checkScript(script, runtime);
    const { program, diagnostics } = parseProgram(script, runtime);
    if (diagnostics.length === 0) parseProgram(printProgram(program, runtime), runtime);
    return execute(script, runtime, given);
  });
  expect(cpuMs).toBeLessThan(ANSWER_MS_MAX);
  if (result.ok) return [];
  for (const { range = { start: 0, end: 0 }, message } of result.failure.diagnostics) {
    expect(range.start).toBeGreaterThanOrEqual(0);
    expect(range.end).toBeLessThanOrEqual(script.length);
    expect(message.length).toBeLessThan(MESSAGE_LENGTH_MAX);
  }
  expect(result.failure.diagnostics.length).toBeLessThanOrEqual(DIAGNOSTICS_MAX);
  return [...new Set(result.failure.diagnostics.map(({ code }) => code))];
}

const LIMIT = ["limit-exceeded"];

const send = (amount: string, source: string, destination: string): string =>
  `send ${amount} (\n  source = ${source}\n  destination = ${destination}\n)`;
const SEND = send("[C 1]", "@world", "@x");
const lines = (...clauses: string[]): string => `{\n${clauses.join("\n")}\n}`;
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
/** `make` applied to a text `depth` times. */
const nested = (depth: number, innermost: string, make: (inner: string) => string): string =>
  many(depth, () => make).reduce((inner, wrap) => wrap(inner), innermost);

describe.each(RUNTIMES)("%s", (runtime) => {
  const answer = (script: string, given?: Surroundings): string[] =>
    answerTo(script, runtime, given);

  test("a runtime accepts scripts up to a length", () => {
    const blanks = " ".repeat(SOURCE_LENGTH_MAX - SEND.length);

    expect(answer(SEND + blanks)).toEqual([]);
    expect(answer(`${SEND}${blanks} `)).toEqual(LIMIT);
    expect(answer("(".repeat(10_000_000))).toEqual(LIMIT);
  });

  test("a runtime accepts scripts up to a number of tokens", () => {
    // `count` shares with their targets. A share has three tokens, and for the machine the end of its line is a fourth.
    const branches = (count: number): string =>
      send("[C 0]", "@world", lines(...many(count, () => "0% kept"), "remaining to @x"));
    const count = Math.floor(TOKENS_MAX / 3) - 20;

    expect(answer(branches(count))).toEqual([]);
    expect(answer(branches(2 * count))).toContain("limit-exceeded");
  });

  test("a runtime accepts nested sources and destinations up to a depth", () => {
    const sources = (depth: number): string =>
      send(
        "[C 1]",
        nested(depth, "@world", (inner) => lines(inner)),
        "@x",
      );
    const destinations = (depth: number): string =>
      send(
        "[C 1]",
        "@world",
        nested(depth, "@x", (inner) => lines(`remaining to ${inner}`)),
      );
    const caps = (depth: number): string =>
      send(
        "[C 1]",
        nested(depth, "@world", (inner) => `max [C 1] from ${inner}`),
        "@x",
      );

    for (const script of [sources, destinations, caps]) {
      expect(answer(script(DEPTH_MAX - 10))).toEqual([]);
      expect(answer(script(DEPTH_MAX + 1))).toEqual(LIMIT);
      expect(answer(script(3000))).toContain("limit-exceeded");
    }
    expect(answer(send("[C 1]", "{".repeat(20_000), "@x"))).not.toEqual([]);
    expect(answer(`send ${"[".repeat(20_000)}`)).not.toEqual([]);
  });

  test("a runtime accepts expressions up to a number of operators", () => {
    const sum = (count: number): string => `${SEND}\nset_tx_meta("k", 1${" + 1".repeat(count)})`;

    expect(answer(sum(DEPTH_MAX - 2))).toEqual([]);
    expect(answer(sum(DEPTH_MAX + 1))).toEqual(LIMIT);
    expect(answer(sum(10_000))).toEqual(LIMIT);
  });

  test("a runtime accepts scripts up to a number of statements", () => {
    const statement = runtime === "machine" ? "fail" : "nothing()";
    const script = (count: number): string => many(count, () => statement).join("\n");

    expect(parseProgram(script(STATEMENTS_MAX), runtime).diagnostics).toEqual([]);
    expect(answer(script(STATEMENTS_MAX + 1))).toContain("limit-exceeded");
  });

  test("a runtime accepts scripts up to a number of variables", () => {
    const script = (count: number): string =>
      `vars ${lines(...many(count, (index) => `number $v${index}`))}\n${SEND}`;
    const variables = Object.fromEntries(many(VARIABLES_MAX, (index) => [`v${index}`, "1"]));

    expect(answer(script(VARIABLES_MAX), { variables })).toEqual([]);
    expect(answer(script(VARIABLES_MAX + 1), { variables })).toContain("limit-exceeded");
  });

  test("a runtime makes postings up to a number", () => {
    const script = (count: number): string =>
      send(
        "[C 10000]",
        "@world",
        lines(...many(count - 1, () => "0.01% to @x"), "remaining to @x"),
      );

    expect(answer(script(POSTINGS_MAX))).toEqual([]);
    expect(answer(script(POSTINGS_MAX + 1))).toEqual(LIMIT);
  });

  test("a runtime accepts numbers up to a number of digits", () => {
    const literal = (digits: number): string => send(`[C ${"9".repeat(digits)}]`, "@world", "@x");
    const script = `vars ${lines("monetary $m", "number $n")}\n${send("$m", "@world", "@x")}`;
    const variables = (digits: number) => ({
      variables: { m: `C ${"9".repeat(digits)}`, n: "9".repeat(digits) },
    });

    expect(answer(literal(NUMBER_DIGITS_MAX))).toEqual([]);
    expect(answer(literal(NUMBER_DIGITS_MAX + 1))).toEqual(LIMIT);
    expect(answer(literal(90_000))).toEqual(LIMIT);
    expect(answer(script, variables(NUMBER_DIGITS_MAX))).toEqual([]);
    expect(answer(script, variables(NUMBER_DIGITS_MAX + 1))).toEqual(["invalid-variable"]);
    expect(answer(script, variables(5_000_000))).toEqual(["invalid-variable"]);
  });

  test("a runtime accepts names and texts up to a length", () => {
    const name = "X".repeat(NAME_LENGTH_MAX - 1);
    const account = (length: number) => ({ variables: { a: "x".repeat(length), t: "" } });
    const text = (length: number) => ({ variables: { a: "x", t: "x".repeat(length) } });
    const script = `vars ${lines("account $a", "string $t")}\n${send("[C 1]", "@world", "$a")}`;

    expect(answer(send("[C 1]", "@world", `@${name}`))).toEqual([]);
    expect(answer(send("[C 1]", "@world", `@${name}xx`))).toEqual(LIMIT);
    expect(answer(send(`[${name}XX 1]`, "@world", "@x"))).toEqual(LIMIT);
    expect(answer(script, account(NAME_LENGTH_MAX))).toEqual([]);
    expect(answer(script, account(NAME_LENGTH_MAX + 1))).toEqual(["invalid-variable"]);
    expect(answer(script, text(TEXT_LENGTH_MAX))).toEqual([]);
    expect(answer(script, text(TEXT_LENGTH_MAX + 1))).toEqual(["invalid-variable"]);
  });

  test("a runtime keeps sums of numbers within their limit", () => {
    const nines = "9".repeat(NUMBER_DIGITS_MAX);
    const script = send(`[C ${nines}] + [C ${nines}]`, "@world", "@x");

    expect(answer(script).filter((code) => code !== "limit-exceeded")).toEqual([]);
  });

  test("a runtime accepts portions up to a number of digits", () => {
    const script = (portion: string): string =>
      send("[C 1]", "@world", lines(`${portion} to @x`, "remaining to @y"));
    const variable = `vars ${lines("portion $p")}\n${script("$p")}`;
    const fits = "9".repeat(PORTION_DIGITS_MAX - 3);
    const isTooLong = "9".repeat(PORTION_DIGITS_MAX + 1);

    expect(answer(script(`0.${fits}%`))).toEqual([]);
    expect(answer(script(`0.${isTooLong}%`))).toEqual(LIMIT);
    expect(answer(variable, { variables: { p: `1/${fits}` } })).toEqual([]);
    expect(answer(variable, { variables: { p: `1/${isTooLong}` } })).toEqual(["invalid-variable"]);
    expect(answer(variable, { variables: { p: `1/${"9".repeat(5_000_000)}` } })).toEqual([
      "invalid-variable",
    ]);
  });

  test("a runtime stops a sum of portions whose denominators have no common divisor", () => {
    const script = (count: number): string =>
      send(
        "[C 1]",
        "@world",
        lines(...many(count, (index) => `1/${10_007 + index} kept`), "remaining to @x"),
      );

    expect(answer(script(20))).toEqual([]);
    expect(answer(script(5000))).toEqual(LIMIT);
  });

  test("a runtime answers comments and strings that are never closed", () => {
    const open = ["/*", "/* ", "/* /*/ ", "//", '"', '\\"', "/"];
    for (const text of open) {
      const repeated = text.repeat(Math.floor(SOURCE_LENGTH_MAX / text.length / 2));
      for (const script of [repeated, `${repeated}*/`, `"${repeated}`, `"${repeated}\n`]) {
        // Comments alone are a script for the interpreter.
        const codes = answer(script + SEND.slice(1));
        expect(codes).not.toEqual([]);
      }
    }
    expect(answer(`${"/*".repeat(20_000)}${"*/".repeat(20_000)}${SEND}`)).toEqual([]);
  });

  test("a runtime accepts a string of escaped quotes only", () => {
    const text = '\\"'.repeat(SOURCE_LENGTH_MAX / 2 - 200);

    expect(answer(`${SEND}\nset_tx_meta("k", "${text}")`)).toEqual([]);
    expect(answer(`${SEND}\nset_tx_meta("k", "${text}x)`)).not.toEqual([]);
  });

  test("a runtime stops a run that adds too many long portions", () => {
    const script = (count: number): string =>
      `vars ${lines("portion $p")}\n${send(
        "[C 1]",
        "@world",
        lines(...many(count, () => "$p kept"), "remaining to @x"),
      )}`;
    const variables = { p: `1/${3n ** 800n}` };

    expect(answer(script(100), { variables })).toEqual([]);
    expect(answer(script(5000), { variables })).toEqual(LIMIT);
  });

  test("a runtime answers many caps over many sources", () => {
    const sources = many(2000, (index) => `@a${index}`);
    // The machine walks over the remaining sources for each cap; the interpreter does not.
    const caps = many(1500, () => "max [C 1] to @x");
    const script = send("[C 2000]", lines(...sources), lines(...caps, "remaining kept"));
    const balances = Object.fromEntries(many(2000, (index) => [`a${index}`, { C: 1 }]));
    const sends = many(1000, () => send("[C *]", "@a", lines("1/2 kept", "remaining kept")));

    expect(answer(script, { balances })).toEqual(runtime === "machine" ? LIMIT : []);
    expect(answer(sends.join("\n"), { balances: { a: { C: 5 } } })).toEqual([]);
  });

  test("a runtime accepts many caps over nested lists", () => {
    const list = many(40, (index) => `@b${index}`).reduce(
      (inner, account) => lines(inner, account),
      "@a",
    );
    const caps = many(100, () => `max [C 1] from ${list}`);
    const script = send("[C 100]", lines(...caps), "@x");

    expect(answer(script, { balances: { a: { C: 5 }, b39: { C: 1000 } } })).toEqual([]);
  });
});

describe("experimental-interpreter", () => {
  const answer = (script: string, given?: Surroundings): string[] =>
    answerTo(script, "experimental-interpreter", given);
  const withMeta = (expression: string): string => `${SEND} set_tx_meta("k", ${expression})`;

  test("the experimental interpreter accepts nested expressions up to a depth", () => {
    const parentheses = (depth: number): string =>
      withMeta(`${"(".repeat(depth)}1${")".repeat(depth)}`);
    const minuses = (depth: number): string => withMeta(`${"-".repeat(depth)}1`);
    const brackets = (depth: number): string =>
      withMeta(`${"[C ".repeat(depth)}1${"]".repeat(depth)}`);
    const calls = (depth: number): string => withMeta(`${"f(".repeat(depth)}1${")".repeat(depth)}`);

    for (const script of [parentheses, minuses]) {
      expect(answer(script(DEPTH_MAX - 2))).toEqual([]);
    }
    for (const script of [parentheses, minuses, brackets, calls]) {
      expect(answer(script(DEPTH_MAX + 1))).toContain("limit-exceeded");
      expect(answer(script(5000))).toContain("limit-exceeded");
    }
  });

  test("the experimental interpreter undoes the branches of oneof, however deep they are", () => {
    const flags = ["experimental-oneof"];
    const once = (inner: string): string => `oneof { { @a @b } ${inner} }`;
    const twice = (inner: string): string =>
      `oneof { { ${inner} @nobody } { ${inner} @nobody } @world }`;
    const balances = { a: { C: 1 }, b: { C: 2 } };

    expect(answer(send("[C 9]", nested(90, "@world", once), "@x"), { flags, balances })).toEqual(
      [],
    );
    // Each level of the expression doubles the work.
    const doubled = nested(9, "{ @a @b }", twice);
    const codes = answer(send("[C 9]", doubled, "@x"), { flags, balances });
    expect(codes.filter((code) => code !== "limit-exceeded")).toEqual([]);
  });

  test("the experimental interpreter undoes what many branches have not given", () => {
    const accounts = many(1500, (index) => `@a${index}`);
    const branches = many(1500, (index) => lines("@b", `@c${index}`));
    const source = lines(...accounts, `oneof ${lines(...branches, "@world")}`);
    const balances = Object.fromEntries(many(1500, (index) => [`a${index}`, { C: 1 }]));
    const flags = ["experimental-oneof"];

    expect(answer(send("[C 9999]", source, "@x"), { flags, balances })).toEqual([]);
  });
});
