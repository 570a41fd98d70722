import { describe, expect, test } from "vitest";
import {
  type Balances,
  type Outcome,
  outcomeOf,
  RUNTIMES,
  type Surroundings,
} from "#test/support/numscript/cases.ts";

interface Traced {
  readonly name: string;
  readonly script: string;
  readonly given?: Surroundings;
  /** The postings or the error of the machine; undefined for a construct that the machine lacks. */
  readonly machine?: readonly string[];
  readonly interpreter: readonly string[];
}

/** A script with one `send`. */
const send = (amount: string, source: string, destination: string): string =>
  `send [${amount}] (\n  source = ${source}\n  destination = ${destination}\n)`;

const lines = (...clauses: string[]): string => `{\n${clauses.join("\n")}\n}`;

/** Balances of the asset C. */
const held = (balances: Readonly<Record<string, number>>): Balances =>
  Object.fromEntries(
    Object.entries(balances).map(([account, balance]) => [account, { C: balance }]),
  );

/** Examples of single rules of both runtimes, which a reader can trace. */
const TRACED: readonly Traced[] = [
  {
    name: "an empty account in a list gives a posting of zero (machine) or none (interpreter)",
    script: send("C 10", lines("@a", "@b", "@world"), "@x"),
    given: { balances: held({ a: 3, b: -5 }) },
    machine: ["a>x C 3", "b>x C 0", "world>x C 7"],
    interpreter: ["a>x C 3", "world>x C 7"],
  },
  {
    name: "a cap over a list that ends unbounded is filled by its last account",
    script: send("C 10", lines(`max [C 3] from ${lines("@a", "@world")}`, "@b"), "@x"),
    given: { balances: held({ a: 1, b: 50 }) },
    machine: ["a>x C 1", "world>x C 2", "b>x C 7"],
    interpreter: ["a>x C 1", "world>x C 2", "b>x C 7"],
  },
  {
    name: "an account serves several branches of a divided source",
    script: send(
      "C 99",
      lines(`15% from ${lines("@b", "@a")}`, "30% from @a", "remaining from @a"),
      "@world",
    ),
    given: { balances: held({ a: 99, b: 3 }) },
    machine: ["b>world C 3", "a>world C 96"],
    interpreter: ["b>world C 3", "a>world C 96"],
  },
  {
    name: "two destinations share what the sources gave, in order",
    script: send("C 200", lines("@a", "@b"), lines("1/2 to @p", "1/2 to @q")),
    given: { balances: held({ a: 100, b: 110 }) },
    machine: ["a>p C 100", "b>q C 100"],
    interpreter: ["a>p C 100", "b>q C 100"],
  },
  {
    name: "a kept clause keeps the latest source (machine) or the earliest (interpreter)",
    script: send("C 20", lines("@a", "@b"), lines("max [C 10] kept", "remaining to @x")),
    given: { balances: held({ a: 10, b: 10 }) },
    machine: ["a>x C 10"],
    interpreter: ["b>x C 10"],
  },
  {
    name: "a kept share goes back in front (machine) or is gone at once (interpreter)",
    script: send("C 100", lines("@a", "@world"), lines("50% kept", "25% to @x", "25% to @y")),
    given: { balances: held({ a: 1 }) },
    machine: ["a>x C 1", "world>x C 24", "world>y C 25"],
    interpreter: ["world>x C 25", "world>y C 25"],
  },
  {
    name: "an amount of zero makes a posting (machine) or none (interpreter)",
    script: send("C 0", "@s", "@x"),
    given: { balances: held({ s: 9 }) },
    machine: ["s>x C 0"],
    interpreter: [],
  },
  {
    name: "an amount of zero from a capped source makes no posting",
    script: send("C 0", "max [C 0] from @s", "@x"),
    given: { balances: held({ s: 9 }) },
    machine: [],
    interpreter: [],
  },
  {
    name: "a share of zero in the middle makes a posting (machine) or none (interpreter)",
    script: send("C 10", "@world", lines("50% to @x", "0% to @y", "50% to @z")),
    machine: ["world>x C 5", "world>y C 0", "world>z C 5"],
    interpreter: ["world>x C 5", "world>z C 5"],
  },
  {
    name: "a share of zero at the end makes no posting",
    script: send("C 10", "@world", lines("50% to @x", "50% to @z", "0% to @y")),
    machine: ["world>x C 5", "world>z C 5"],
    interpreter: ["world>x C 5", "world>z C 5"],
  },
  {
    name: "the first member of oneof that covers all is taken, what others gave goes back",
    script: send("C 10", lines("@p", "oneof { @a @b }", "@world"), "@x"),
    given: { balances: held({ p: 2, a: 5, b: 9 }), flags: ["experimental-oneof"] },
    interpreter: ["p>x C 2", "b>x C 8"],
  },
  {
    name: "scaling converts the highest precision first, and whole units only",
    script: send("EUR/2 400", "@s with scaling through @swap", "@x"),
    given: {
      balances: { s: { EUR: 2, "EUR/2": 200, "EUR/3": 0 } },
      flags: ["experimental-asset-scaling"],
    },
    interpreter: ["s>swap EUR 2", "swap>s EUR/2 200", "s>x EUR/2 400"],
  },
  {
    name: "portions are computed exactly",
    script: `vars { number $n number $m }\n${send("C 10", "@world", lines("$n/$m to @a", "1/($n + $m) to @b", "remaining to @c"))}`,
    given: { variables: { n: "1", m: "3" } },
    interpreter: ["world>a C 4", "world>b C 2", "world>c C 4"],
  },
];

describe("traced examples", () => {
  test.each(TRACED)("the traced example $name", ({ script, given, machine, interpreter }) => {
    expect(postingsOf(outcomeOf(script, "experimental-interpreter", given))).toEqual(interpreter);
    if (machine === undefined) {
      expect(outcomeOf(script, "machine", given).e).toBe("COMPILATION_FAILED");
    } else {
      expect(postingsOf(outcomeOf(script, "machine", given))).toEqual(machine);
    }
  });

  test("an amount saved beyond the balance stops a later overdraft (machine) or does not (interpreter)", () => {
    const script = `save [C 20] from @a\n${send("C 10", "@a allowing overdraft up to [C 10]", "@x")}`;
    const given = { balances: held({ a: 5 }) };

    expect(outcomeOf(script, "machine", given).e).toBe("INSUFFICIENT_FUND");
    expect(outcomeOf(script, "experimental-interpreter", given)).toEqual({ p: ["a>x C 10"] });
  });
});

/** The postings of an outcome, or its error code. An empty list is a success here, although ledgers refuse it. */
const postingsOf = ({ e, p }: Outcome): readonly string[] | string | undefined =>
  e === "NO_POSTINGS" ? [] : (p ?? e);

test.each(RUNTIMES)("%s: traced fundings stay as they are after several sends", (runtime) => {
  const script = [
    send("C 10", lines("@a", "@b"), "@x"),
    send("C 10", lines("@b", "@world"), lines("1/3 to @a", "remaining to @y")),
    send("C *", "@a", "@z"),
  ].join("\n");

  expect(outcomeOf(script, runtime, { balances: held({ a: 4, b: 9 }) })).toEqual({
    p: ["a>x C 4", "b>x C 6", "b>a C 3", "world>a C 1", "world>y C 6", "a>z C 4"],
  });
});
