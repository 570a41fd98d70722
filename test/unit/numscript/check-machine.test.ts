import { describe, expect, test } from "vitest";
import { compileScript } from "#numscript";
import { checkScript } from "#numscript/check/check.ts";
import { loadCases } from "#test/support/numscript/cases.ts";
import { namedRows, type Row, tell, type Told } from "#test/support/numscript/check.ts";

/* Diagnostics about scripts for the machine. The first mistake has the message of the machine's own compiler. */

const block = (name: string, lines: string): string => `${name} = ${lines.replaceAll("; ", "\n")}`;
const from = (source: string): string =>
  `send [C 10] (\n${block("source", source)}\ndestination = @x\n)\n`;
const to = (destination: string): string =>
  `send [C 10] (\nsource = @s\n${block("destination", destination)}\n)\n`;
const vars = (...declarations: string[]): string => `vars {\n${declarations.join("\n")}\n}\n`;

const error = (code: string, place: string, message: string): Told => [
  "error",
  code,
  place.replaceAll("; ", "\n"),
  message,
];
const emptied = (place: string, account = place): Told =>
  error("emptied-account", place, `${account} is already empty at this stage`);
const notLast = (place: string): Told =>
  error("unreachable-source", place, "an unbounded subsource can only be in last position");
const mayDiffer = (place: string, how: "less" | "greater"): Told =>
  error("portions-may-differ-from-one", place, `the sum of portions might be ${how} than 100%`);

const ROWS: readonly Row[] = [
  ["nothing", from("@a")],
  [
    "a variable that nothing uses",
    vars("account $a") + from("@a"),
    ["warning", "unused-variable", "$a", "The variable '$a' is never used"],
  ],
  [
    "each use of a variable that nobody declared, the first one as the machine does",
    from("$a") + to("$b"),
    error("unbound-variable", "$a", "variable not declared"),
    error("unbound-variable", "$b", "The variable '$b' was not declared"),
  ],
  [
    "a second variable of one name",
    vars("account $a", "account $a") + from("$a"),
    error("duplicate-variable", "$a", "duplicate variable $a"),
  ],
  [
    "each type mismatch",
    to("C") + to("1"),
    error("type-mismatch", "C", "wrong type: expected account as destination"),
    error("type-mismatch", "1", "Type mismatch (expected 'account', got 'number' instead)"),
  ],
  [
    "a balance that is no amount",
    vars("number $n = balance(@a, C)") + 'set_tx_meta("k", $n)\n',
    error(
      "type-mismatch",
      "balance(@a, C)",
      "variable $n: type should be 'monetary' to pull account balance",
    ),
  ],
  [
    "metadata of what is no account",
    vars('number $n = meta("a", "k")') + 'set_tx_meta("k", $n)\n',
    error("type-mismatch", '"a"', "variable $n: type should be 'account' to pull account metadata"),
  ],
  [
    "amounts of two assets, which the machine finds in the run",
    from("max [D 1] from @a"),
    error("asset-mismatch", "[D 1]", "Asset mismatch (expected 'C', got 'D' instead)"),
  ],
  [
    "an asset that a cap fixes",
    `${vars("asset $a")}send [$a 1] (\nsource = max [C 1] from @a\ndestination = @x\n)\n`,
    [
      "warning",
      "inferred-asset",
      "$a",
      "This asset is inferred to be 'C'. Receiving a different asset will cause a runtime error.\nYou may want to remove this variable and use the hardcoded value instead.",
    ],
  ],
  [
    "an unknown escape",
    'set_tx_meta("k", "\\q")\n',
    error("invalid-escape", '"\\q"', "invalid syntax: '\\q' is no escape of a string"),
  ],

  ["sources in order", from("{; @a; @b; @world; }")],
  ["world before others", from("{; @world; @a; }"), notLast("@world")],
  [
    "a list that ends with world before others",
    from("{; {; @a; @world; }; @b; }"),
    notLast("{; @a; @world; }"),
  ],
  [
    "two unbounded ones before others",
    from("{; @a allowing unbounded overdraft; @world; @b; }"),
    notLast("@a allowing unbounded overdraft"),
    notLast("@world"),
  ],
  ["world before others under a cap", from("max [C 1] from {; @world; @a; }"), notLast("@world")],
  ["world under a cap before others", from("{; max [C 1] from @world; @a; }")],
  ["an account twice", from("{; @a; @b; @a; }"), emptied("@a")],
  ["a variable twice", vars("account $a") + from("{; $a; @b; $a; }"), emptied("$a")],
  [
    "an account twice, with overdrafts",
    from("{; @a allowing overdraft up to [C 1]; @a allowing unbounded overdraft; }"),
    emptied("@a allowing unbounded overdraft", "@a"),
  ],
  ["an account in a list within", from("{; @a; {; @b; @a; }; }"), emptied("{; @b; @a; }", "@a")],
  ["each account that stands twice", from("{; @a; @b; @a; @b; }"), emptied("@a"), emptied("@b")],
  ["an account under caps", from("{; @a; max [C 1] from @a; max [C 1] from @a; }")],
  ["an account twice under a cap", from("{; @a; max [C 1] from {; @b; @b; }; }"), emptied("@b")],
  ["an account in two branches", from("{; 1/2 from @a; 1/2 from @a; }")],
  [
    "an overdraft of world",
    from("@world allowing unbounded overdraft"),
    error(
      "overdraft-on-world",
      "allowing unbounded overdraft",
      "@world is already set to an unbounded overdraft",
    ),
  ],
  [
    "all of world",
    "send [C *] (\nsource = @world\ndestination = @x\n)\n",
    error("send-all-unbounded", "@world", "cannot take all balance of an unbounded source"),
  ],
  [
    "all of an allotment",
    "send [C *] (\nsource = {\n1/2 from @a\n1/2 from @b\n}\ndestination = @x\n)\n",
    error(
      "send-all-allotment",
      "{; 1/2 from @a; 1/2 from @b; }",
      "cannot take all balance of an allotment source",
    ),
  ],

  ["shares", to("{; 1/2 to @a; 50% kept; }")],
  ["a remaining in any place", to("{; remaining to @a; 1/2 to @b; }")],
  [
    "two remaining",
    to("{; remaining to @a; remaining to @b; }"),
    error("duplicate-remaining", "remaining", "two uses of `remaining` in the same allocation"),
  ],
  [
    "a remaining of nothing",
    to("{; 100% to @a; remaining to @b; }"),
    error(
      "redundant-remaining",
      "{; 100% to @a; remaining to @b; }",
      "known portions are already equal to 100%",
    ),
  ],
  [
    "shares above one",
    to("{; 2/3 to @a; 2/3 to @b; }"),
    error(
      "portions-above-one",
      "{; 2/3 to @a; 2/3 to @b; }",
      "the sum of known portions is greater than 100%",
    ),
  ],
  [
    "shares below one",
    to("{; 1/3 to @a; 1/3 to @b; }"),
    error(
      "portions-below-one",
      "{; 1/3 to @a; 1/3 to @b; }",
      "the sum of portions might be less than 100%",
    ),
  ],
  [
    "a variable that may be too little",
    vars("portion $p") + to("{; 1/3 to @a; $p to @b; }"),
    mayDiffer("{; 1/3 to @a; $p to @b; }", "less"),
  ],
  [
    "a variable that may be too much",
    vars("portion $p") + to("{; 100% to @a; $p to @b; }"),
    mayDiffer("{; 100% to @a; $p to @b; }", "greater"),
  ],
  ["a variable with a remaining", vars("portion $p") + to("{; $p to @a; remaining to @b; }")],
  [
    "a portion above one",
    to("{; 3/2 to @a; remaining to @b; }"),
    error("invalid-portion", "3/2", "portion must be between 0% and 100% inclusive"),
  ],
  [
    "portions above one and by zero",
    to("{; 3/2 to @a; remaining to @b; }") + to("{; 1/0 to @a; remaining to @b; }"),
    error("invalid-portion", "3/2", "portion must be between 0% and 100% inclusive"),
    error("invalid-portion", "1/0", "invalid fractional format"),
  ],
  [
    "the sums of two allotments, of which the machine tells the first",
    to("{; 1/3 to @a; }") + to("{; 1/4 to @a; }"),
    error("portions-below-one", "{; 1/3 to @a; }", "the sum of portions might be less than 100%"),
    error("portions-below-one", "{; 1/4 to @a; }", "the sum of portions might be less than 100%"),
  ],
  [
    "the sum of an allotment in another one",
    to("{; 1/3 to {; 1/4 kept; }; }"),
    error(
      "portions-below-one",
      "{; 1/3 to {; 1/4 kept; }; }",
      "the sum of portions might be less than 100%",
    ),
    error("portions-below-one", "{; 1/4 kept; }", "the sum of portions might be less than 100%"),
  ],
];

describe("the check of a script for the machine", () => {
  test.each(namedRows(ROWS))(
    "the check of a script for the machine reports what is wrong, if anything, with $title",
    ({ script, told }) => {
      expect(tell(script, "machine")).toEqual(told);
    },
  );

  test("the check of a script for the machine reports the compiler's errors, and none if the compiler accepts the script", () => {
    const cases = [...loadCases("numscript"), ...loadCases("numscript-random")];
    const refused = cases.filter(({ s }) => !compileScript(s, "machine").ok);

    expect(refused.length).toBeGreaterThan(100);
    expect(cases.filter(({ s }) => !agrees(s)).map(({ id }) => id)).toEqual([]);
  });
});

/**
 * Whether the checker reports the compiler's errors, or, for a script without them, only errors that the compiler leaves to the
 * run.
 */
function agrees(script: string): boolean {
  const compiled = compileScript(script, "machine");
  const errors = checkScript(script, "machine").diagnostics.filter(
    ({ severity }) => severity === "error",
  );
  if (compiled.ok) return errors.every(({ code }) => code === "asset-mismatch");
  return compiled.failure.diagnostics.every(({ message }) =>
    errors.some((error) => error.message === message),
  );
}
