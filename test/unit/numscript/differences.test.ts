import { describe, expect, test } from "vitest";
import {
  type Balances,
  MemoryReader,
  type Outcome,
  outcomeOf,
  type Surroundings,
} from "#test/support/numscript/cases.ts";

/**
 * Differences between the two runtimes: scripts for each topic, and their outcomes in both. The message of an error is
 * compared only if the expectation has one.
 */
interface Difference {
  readonly script: string;
  readonly given?: Surroundings;
  readonly machine: Outcome;
  readonly interpreter: Outcome;
}

const REFUSED: Outcome = { e: "COMPILATION_FAILED" };
const UNREADABLE: Outcome = { e: "INTERPRETER_PARSE" };
const FAILED: Outcome = { e: "INTERPRETER_RUNTIME" };
const INTERNAL: Outcome = { e: "INTERNAL" };
const POOR: Outcome = { e: "INSUFFICIENT_FUND" };
const NOTHING: Outcome = { e: "NO_POSTINGS" };
const TEN: Outcome = { p: ["world>x C 10"] };

/** A script with one `send`. */
const send = (amount: string, source = "@world", destination = "@x"): string =>
  `send ${amount} (\n  source = ${source}\n  destination = ${destination}\n)`;
const SEND_TEN = send("[C 10]");

const lines = (...clauses: string[]): string => `{\n${clauses.join("\n")}\n}`;
const vars = (...declarations: string[]): string => `vars ${lines(...declarations)}\n`;

/** Balances of the asset C. */
const held = (balances: Readonly<Record<string, number>>): { balances: Balances } => ({
  balances: Object.fromEntries(
    Object.entries(balances).map(([account, balance]) => [account, { C: balance }]),
  ),
});

const DIFFERENCES: Readonly<Record<string, readonly Difference[]>> = {
  "line breaks": [
    {
      script: "send [C 10] ( source = @world destination = @x )",
      machine: REFUSED,
      interpreter: TEN,
    },
    {
      script: `${SEND_TEN} \n \n${SEND_TEN}`,
      machine: REFUSED,
      interpreter: { p: ["world>x C 10", "world>x C 10"] },
    },
  ],
  "line comment at the end of a code line": [
    {
      script: "send [C 10] ( // ten\n  source = @world\n  destination = @x\n)",
      machine: REFUSED,
      interpreter: TEN,
    },
  ],
  "order destination / source": [
    {
      script: "send [C 10] (\n  destination = @x\n  source = @world\n)",
      machine: TEN,
      interpreter: UNREADABLE,
    },
  ],
  "print, fail": [
    { script: `print 1\n${SEND_TEN}`, machine: TEN, interpreter: UNREADABLE },
    {
      script: `${SEND_TEN}\nfail`,
      machine: { e: "INTERNAL", msg: "script exited with error code" },
      interpreter: UNREADABLE,
    },
  ],
  "empty program, or no statement": [
    { script: "", machine: REFUSED, interpreter: NOTHING },
    {
      script: vars("account $a"),
      given: { variables: { a: "b" } },
      machine: REFUSED,
      interpreter: NOTHING,
    },
  ],
  "number literals": [
    { script: send("[C 1_0]"), machine: REFUSED, interpreter: TEN },
    { script: send("[C 3 + 7]"), machine: REFUSED, interpreter: TEN },
    { script: send("[C 20] + [C -10]"), machine: REFUSED, interpreter: TEN },
    {
      script: `${SEND_TEN}\nset_tx_meta("n", -7)`,
      machine: REFUSED,
      interpreter: { ...TEN, tx: { n: "-7" } },
    },
  ],
  division: [
    {
      script: `${SEND_TEN}\nset_tx_meta("p", 1/2)`,
      machine: { ...TEN, tx: { p: "1/2" } },
      interpreter: { ...TEN, tx: { p: "1/2" } },
    },
    {
      script: `${vars("number $n")}${send("[C 10]", "@world", lines("1/$n to @x", "remaining to @y"))}`,
      given: { variables: { n: "2" } },
      machine: REFUSED,
      interpreter: { p: ["world>x C 5", "world>y C 5"] },
    },
    {
      script: `${SEND_TEN}\nset_tx_meta("p", 1   /   2)`,
      machine: REFUSED,
      interpreter: { ...TEN, tx: { p: "1/2" } },
    },
  ],
  "parentheses, calls in expressions": [
    { script: send("[C (5 + 5)]"), machine: REFUSED, interpreter: TEN },
    {
      script: send("balance(@a, C)"),
      given: { ...held({ a: 10 }), flags: ["experimental-mid-script-function-call"] },
      machine: REFUSED,
      interpreter: TEN,
    },
    {
      script: send("balance(@a, C)"),
      given: held({ a: 10 }),
      machine: REFUSED,
      interpreter: FAILED,
    },
  ],
  "string escapes": [
    {
      script: `${SEND_TEN}\nset_tx_meta("k", "a\\tb\\"")`,
      machine: { ...TEN, tx: { k: 'a\tb"' } },
      interpreter: { ...TEN, tx: { k: 'a\\tb\\"' } },
    },
  ],
  "asset literals": [
    { script: send("[A//2 1]"), machine: { p: ["world>x A//2 1"] }, interpreter: UNREADABLE },
    {
      script: send("[ABCDEFGHIJKLMNOPQR 1]"),
      machine: { p: ["world>x ABCDEFGHIJKLMNOPQR 1"] },
      interpreter: FAILED,
    },
  ],
  "type errors, undeclared variables, allotment sums, unbounded not last, account twice, send-all on unbounded":
    [
      {
        script: `${send("[C 10]", "@a")}\n${send("1")}`,
        machine: REFUSED,
        // The interpreter evaluates all amounts in a first pass.
        interpreter: FAILED,
      },
      {
        script: `${send("[C 10]", "@a")}\n${send("[C 1]", "@world", "$nobody")}`,
        machine: REFUSED,
        interpreter: POOR,
      },
      {
        script: `${send("[C 10]", "@a")}\n${send("[C 1]", "@world", lines("1/2 to @x", "1/3 to @y"))}`,
        machine: REFUSED,
        interpreter: POOR,
      },
      { script: send("[C 10]", lines("@world", "@a")), machine: REFUSED, interpreter: TEN },
      {
        script: send("[C 10]", lines("@a", "@a")),
        given: held({ a: 10 }),
        machine: REFUSED,
        interpreter: { p: ["a>x C 10"] },
      },
      { script: `${send("[C 10]", "@a")}\n${send("[C *]")}`, machine: REFUSED, interpreter: POOR },
      {
        script: send("[C 10]", "@world allowing unbounded overdraft"),
        machine: REFUSED,
        interpreter: TEN,
      },
    ],
  "extra variables, duplicate declarations": [
    { script: SEND_TEN, given: { variables: { z: "1" } }, machine: REFUSED, interpreter: TEN },
    {
      script: `${vars("account $a", "account $a")}${SEND_TEN}`,
      given: { variables: { a: "b" } },
      machine: REFUSED,
      interpreter: TEN,
    },
  ],
  "`number` variables": [
    {
      script: `${vars("number $n")}${SEND_TEN}\nset_tx_meta("n", $n)`,
      given: { variables: { n: "+007" } },
      machine: REFUSED,
      interpreter: { ...TEN, tx: { n: "7" } },
    },
    {
      script: `${vars("number $n")}${SEND_TEN}\nset_tx_meta("n", $n)`,
      given: { variables: { n: " -7 " } },
      machine: { ...TEN, tx: { n: "-7" } },
      interpreter: FAILED,
    },
  ],
  "`world` through a variable": [
    {
      script: `${vars("account $a")}${send("[C 10]", "$a")}`,
      given: { variables: { a: "world" } },
      machine: REFUSED,
      interpreter: TEN,
    },
    {
      script: `${vars("account $a")}${send("[C 10]", "$a allowing unbounded overdraft")}`,
      given: { variables: { a: "world" } },
      machine: TEN,
      interpreter: TEN,
    },
  ],
  "share variables without `remaining`": [
    {
      script: `${vars("portion $p")}${send("[C 10]", "@world", lines("1/2 to @x", "$p to @y"))}`,
      given: { variables: { p: "1/2" } },
      machine: REFUSED,
      interpreter: { p: ["world>x C 5", "world>y C 5"] },
    },
    {
      script: `${vars("portion $p")}${send("[C 10]", "@world", lines("1/2 to @x", "$p to @y"))}`,
      given: { variables: { p: "1/3" } },
      machine: REFUSED,
      interpreter: FAILED,
    },
  ],
  "two `remaining`, `remaining` with sum 1": [
    {
      script: send("[C 10]", "@world", lines("1/2 to @x", "remaining to @y", "remaining to @z")),
      machine: REFUSED,
      interpreter: { p: ["world>x C 5", "world>z C 5"] },
    },
    {
      script: send("[C 10]", "@world", lines("100% to @x", "remaining to @y")),
      machine: REFUSED,
      interpreter: TEN,
    },
  ],
  "allotment inside a source block": [
    {
      script: send("[C 10]", lines("@a", lines("1/2 from @b", "1/2 from @world"))),
      given: held({ a: 2, b: 4 }),
      machine: REFUSED,
      interpreter: { p: ["a>x C 2", "b>x C 4", "world>x C 4"] },
    },
  ],
  "zero postings": [
    {
      script: send("[C 10]", lines("@a", "@world")),
      machine: { p: ["a>x C 0", "world>x C 10"] },
      interpreter: TEN,
    },
    { script: send("[C 0]", "@a"), machine: { p: ["a>x C 0"] }, interpreter: NOTHING },
  ],
  "fusing of adjacent equal postings": [
    {
      script: send("[C 10]", lines("max [C 4] from @a", "@b", "max [C 9] from @a")),
      given: held({ a: 50 }),
      machine: { p: ["a>x C 4", "b>x C 0", "a>x C 6"] },
      interpreter: { p: ["a>x C 10"] },
    },
  ],
  "`kept`": [
    {
      script: send("[C 20]", lines("@a", "@b"), lines("1/2 kept", "1/2 to @x")),
      given: held({ a: 10, b: 10 }),
      machine: { p: ["a>x C 10"] },
      interpreter: { p: ["b>x C 10"] },
    },
  ],
  "`save` beyond the balance": [
    {
      script: `save [C 20] from @a\n${send("[C 10]", "@a allowing overdraft up to [C 10]")}`,
      given: held({ a: 5 }),
      machine: POOR,
      interpreter: { p: ["a>x C 10"] },
    },
    {
      script: `save [C 10] from @a\n${send("[C 20]", "@world", "@a")}\n${send("[C *]", "@a")}`,
      given: held({ a: 5 }),
      machine: { p: ["world>a C 20", "a>x C 15"] },
      interpreter: { p: ["world>a C 20", "a>x C 20"] },
    },
  ],
  "`save` on an overdrawn account": [
    {
      script: `save [C 1] from @a\n${send("[C 10]", "@a allowing overdraft up to [C 10]")}`,
      given: held({ a: -50 }),
      machine: POOR,
      interpreter: { p: ["a>x C 10"] },
    },
  ],
  "negative cap in a destination or `max` source": [
    {
      script: send("[C 10]", "@world", lines("max [C 1] - [C 2] to @y", "remaining to @x")),
      machine: INTERNAL,
      interpreter: TEN,
    },
    {
      script: send("[C 10]", lines("max [C 1] - [C 2] from @a", "@world")),
      given: held({ a: 5 }),
      machine: INTERNAL,
      interpreter: TEN,
    },
  ],
  "negative amount to send": [
    {
      script: send("[C 1] - [C 2]", "@a"),
      given: held({ a: 5 }),
      machine: POOR,
      interpreter: FAILED,
    },
    { script: send("[C 1] - [C 2]"), machine: INTERNAL, interpreter: FAILED },
  ],
  "negative overdraft limit": [
    {
      script: send("[C 8]", "@a allowing overdraft up to [C 1] - [C 4]"),
      given: held({ a: 10 }),
      machine: POOR,
      interpreter: { p: ["a>x C 8"] },
    },
    {
      script: send("[C *]", "@a allowing overdraft up to [C 1] - [C 4]"),
      given: held({ a: 10 }),
      machine: { p: ["a>x C 7"] },
      interpreter: { p: ["a>x C 10"] },
    },
  ],
  "`balance()` declared twice for one account": [
    {
      script: `${vars("monetary $m = balance(@a, A)", "monetary $n = balance(@a, B)")}${send("$m + [A 1]")}`,
      given: { balances: { a: { A: 1, B: 2 } } },
      machine: INTERNAL,
      interpreter: { p: ["world>x A 2"] },
    },
  ],
  "missing account for `meta()`": [
    {
      script: `${vars('account $a = meta(@b, "k")')}${send("[C 10]", "@world", "$a")}`,
      machine: { e: "NOT_FOUND" },
      interpreter: FAILED,
    },
  ],
  "error when several things are wrong": [
    {
      script: `${send("[C 10]", "@a", "$nobody")}\n${send("[C 10]", "$nothing")}`,
      machine: { e: "COMPILATION_FAILED", msg: "variable not declared" },
      interpreter: { e: "INTERPRETER_RUNTIME", msg: "Unbound variable: $nothing" },
    },
  ],
  "insufficient-funds text": [
    {
      script: send("[C 10]", lines("@a", "@b")),
      given: held({ a: 3, b: 4 }),
      machine: { e: "INSUFFICIENT_FUND", msg: "account(s) @a|@b had/have insufficient funds" },
      interpreter: {
        e: "INSUFFICIENT_FUND",
        msg: "Not enough funds. Needed [C 10] (only [C 7] available)",
      },
    },
  ],
  // The machine's prefix with the stage of the failure is left out here; a test of `codeOf` covers it.
  "prefixes in `errorMessage`": [
    {
      script: `${vars("monetary $m")}${send("$m")}`,
      machine: { e: "COMPILATION_FAILED", msg: "missing variable $m" },
      interpreter: { e: "INTERPRETER_RUNTIME", msg: "Variable is missing in json: m" },
    },
  ],
};

describe.each(Object.entries(DIFFERENCES))("%s", (_topic, differences) => {
  test.each(differences.map((difference) => [difference.script, difference] as const))(
    "%j",
    (script, { given, machine, interpreter }) => {
      const results = {
        machine: outcomeOf(script, "machine", given),
        interpreter: outcomeOf(script, "experimental-interpreter", given),
      };

      expect(results).toMatchObject({ machine, interpreter });
      if (machine.e === undefined) expect(results.machine).toEqual(machine);
      if (interpreter.e === undefined) expect(results.interpreter).toEqual(interpreter);
    },
  );
});

test("balance queries: one without saved amounts, or one with them and one for each origin", () => {
  const script = `${vars("monetary $m = balance(@p, C)")}save [D 1] from @a\n${send("$m", lines("@a", "@world"))}\n${send("[C 1]", lines("@b", "@world"))}`;
  const given = { balances: { p: { C: 7 } } };
  const machine = new MemoryReader(given);
  const interpreter = new MemoryReader(given);
  outcomeOf(script, "machine", { ...given, reader: machine });
  outcomeOf(script, "experimental-interpreter", { ...given, reader: interpreter });

  expect(machine.reads).toEqual([{ p: ["C"], a: ["C"], b: ["C"] }]);
  expect(interpreter.reads).toEqual([{ p: ["C"] }, { a: ["D", "C"], b: ["C"] }]);
});
