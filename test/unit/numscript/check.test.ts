import { describe, expect, test } from "vitest";
import { namedRows, type Row, tell, type Told } from "#test/support/numscript/check.ts";

/* Diagnostics about scripts for the interpreter, and scripts that only come close to each kind of mistake. */

const from = (source: string): string => `send [C 10] (source = ${source} destination = @x)`;
const to = (destination: string): string =>
  `send [C 10] (source = @s destination = ${destination})`;
/** A script that uses a variable, so that there is no warning about an unused one. */
const using = (declaration: string, name: string): string =>
  `vars { ${declaration} } set_tx_meta("k", ${name})`;

const mismatch = (place: string, expected: string, got: string): Told => [
  "error",
  "type-mismatch",
  place,
  `Type mismatch (expected '${expected}', got '${got}' instead)`,
];
const unbound = (name: string): Told => [
  "error",
  "unbound-variable",
  name,
  `The variable '${name}' was not declared`,
];
const unused = (name: string): Told => [
  "warning",
  "unused-variable",
  name,
  `The variable '${name}' is never used`,
];
const otherAsset = (place: string, expected: string, got: string): Told => [
  "error",
  "asset-mismatch",
  place,
  `Asset mismatch (expected '${expected}', got '${got}' instead)`,
];

const VARIABLES: readonly Row[] = [
  [
    "an unknown type",
    using("foo $a", "$a"),
    [
      "error",
      "invalid-type",
      "foo",
      "'foo' is not a valid type. Allowed types are: monetary, account, portion, asset, number, string",
    ],
  ],
  ["each type", using("number $a", "$a")],
  [
    "a second variable of one name",
    using("number $a string $a", "$a"),
    ["error", "duplicate-variable", "$a", "A variable with the name '$a' was already declared"],
  ],
  ["a variable that nobody declared", to("$a"), unbound("$a")],
  [
    "each use of a variable that nobody declared",
    'set_tx_meta("k", $a) set_tx_meta("l", $a)',
    unbound("$a"),
    unbound("$a"),
  ],
  [
    "a variable that is declared later",
    `vars { account $a = meta($b, "k") account $b } ${to("$a")}`,
    unbound("$b"),
    unused("$b"),
  ],
  [
    "a variable that is its own origin",
    `vars { account $a = meta($a, "k") } ${to("$a")}`,
    unbound("$a"),
  ],
  ["a variable that an origin uses", `vars { account $a account $b = meta($a, "k") } ${to("$b")}`],
  ["a variable that nothing uses", "vars { account $a }", unused("$a")],
  [
    "a variable that its own origin alone is about",
    'vars { account $a = meta(@b, "k") }',
    unused("$a"),
  ],
  ["a variable that a color uses", `vars { string $c } ${from("@a \\ $c")}`],
  ["a variable that an account's name uses", `vars { number $id } ${to("@users:$id:main")}`],
  [
    "all variables of a branch that is not reached",
    `vars { account $a } ${from("{ @world oneof { $a @b } }")}`,
    [
      "warning",
      "unreachable-source",
      "oneof { $a @b }",
      "Inorder sources after an unbounded overdraft are never reached",
    ],
  ],
];

const TYPES: readonly Row[] = [
  [
    "a value other than an amount",
    "send 10 (source = @a destination = @x)",
    mismatch("10", "monetary", "number"),
  ],
  [
    "all of what is no asset",
    "send [@a *] (source = @a destination = @x)",
    mismatch("@a", "asset", "account"),
  ],
  [
    "a value other than an asset",
    "send [@a 1] (source = @a destination = @x)",
    mismatch("@a", "asset", "account"),
  ],
  [
    "an amount of an asset that is no number",
    'save [C "1"] from @a',
    mismatch('"1"', "number", "string"),
  ],
  ["a source that is no account", from("[C 1]"), mismatch("[C 1]", "account", "monetary")],
  ["a destination that is no account", to("C"), mismatch("C", "account", "asset")],
  [
    "a variable of another type",
    `vars { string $a } ${to("$a")}`,
    mismatch("$a", "account", "string"),
  ],
  ["a cap that is no amount", from("max 5 from @a"), mismatch("5", "monetary", "number")],
  [
    "a cap of a destination",
    to("{ max 5 to @a remaining kept }"),
    mismatch("5", "monetary", "number"),
  ],
  ["a limit", from("@a allowing overdraft up to 5"), mismatch("5", "monetary", "number")],
  ["a color", from("@a \\ 5"), mismatch("5", "string", "number")],
  ["a share", to("{ 5 to @a remaining to @b }"), mismatch("5", "portion", "number")],
  ["what is saved", "save 5 from @a", mismatch("5", "monetary", "number")],
  ["where it is saved", 'save [C 1] from "a"', mismatch('"a"', "account", "string")],
  ["all that is saved", "save [5 *] from @a", mismatch("5", "asset", "number")],
  [
    "scaling",
    from("1 with scaling through 2"),
    mismatch("1", "account", "number"),
    mismatch("2", "account", "number"),
  ],
  ["an argument", 'set_account_meta("a", "k", 1)', mismatch('"a"', "account", "string")],
  ["an argument of any type", 'set_account_meta(@a, "k", 1)'],
  [
    "the result of a function",
    `vars { number $a = balance(@a, C) } set_tx_meta("k", $a)`,
    mismatch("balance(@a, C)", "number", "monetary"),
  ],
  ["metadata, which may be anything", using('portion $a = meta(@a, "k")', "$a")],
  [
    "a sum of what has none",
    'set_tx_meta("k", @a + 1)',
    mismatch("@a", "number|monetary", "account"),
  ],
  [
    "a sum of a number and an amount",
    'set_tx_meta("k", 1 + [C 1])',
    mismatch("[C 1]", "number", "monetary"),
  ],
  ["sums", 'set_tx_meta("k", [C 1 + 2] - [C -3])'],
  [
    "a minus before a string",
    'set_tx_meta("k", -"a")',
    mismatch('"a"', "number|monetary", "string"),
  ],
  ["a quotient of amounts", 'set_tx_meta("k", [C 1] / 2)', mismatch("[C 1]", "number", "monetary")],
  [
    "a part of an account's name",
    `vars { portion $p } ${to("@a:$p")}`,
    mismatch("$p", "account|number|string", "portion"),
  ],
  [
    "a variable of no type, which may be anything",
    using("foo $a", "$a + 1"),
    [
      "error",
      "invalid-type",
      "foo",
      "'foo' is not a valid type. Allowed types are: monetary, account, portion, asset, number, string",
    ],
  ],
];

const inferredAsset: Told = [
  "warning",
  "inferred-asset",
  "$a",
  "This asset is inferred to be 'USD/2'. Receiving a different asset will cause a runtime error.\nYou may want to remove this variable and use the hardcoded value instead.",
];
const inferredMonetary: Told = [
  "warning",
  "inferred-asset",
  "$m",
  "This monetary is inferred to always have asset 'USD/2'. Receiving a monetary of different asset will cause a runtime error.\nYou may want to use a variable of type number instead.",
];

const ASSETS: readonly Row[] = [
  ["a sum of two assets", 'set_tx_meta("k", [C 1] + [D 2])', otherAsset("[D 2]", "C", "D")],
  ["two sums of an asset each", 'set_tx_meta("k", [C 1] + [C 2]) set_tx_meta("l", [D 1] - [D 2])'],
  ["a cap of another asset", from("max [D 1] from @a"), otherAsset("[D 1]", "C", "D")],
  [
    "a limit of another asset",
    from("@a allowing overdraft up to [D 1]"),
    otherAsset("[D 1]", "C", "D"),
  ],
  [
    "a cap of a destination of another asset",
    to("oneof { max [D 1] kept remaining to @a }"),
    otherAsset("[D 1]", "C", "D"),
  ],
  [
    "two assets by way of a variable",
    `vars { asset $a } send [$a 1] (source = max [C 1] from @a destination = { max [D 1] kept remaining to @x })`,
    otherAsset("[D 1]", "C", "D"),
  ],
  [
    "an asset that an origin fixes",
    `vars { monetary $m = balance(@a, C) } send $m (source = max [D 1] from @a destination = @x)`,
    otherAsset("[D 1]", "C", "D"),
  ],
  [
    "all of an asset",
    "send [C *] (source = max [D 1] from @a destination = @x)",
    otherAsset("[D 1]", "C", "D"),
  ],
  [
    "sends of an asset each",
    "send [C 1] (source = @a destination = @x) send [D 1] (source = @a destination = @x)",
  ],
  [
    "an asset that a cap fixes",
    "vars { asset $a } send [$a 1] (source = max [USD/2 5] from @a destination = @x)",
    inferredAsset,
  ],
  [
    "an amount whose asset a limit fixes",
    "vars { monetary $m } send -$m (source = @a allowing overdraft up to [USD/2 5] destination = @x)",
    inferredMonetary,
  ],
  [
    "an asset that another variable fixes",
    "vars { monetary $m asset $s = get_asset($m) } send [USD/2 1] + [$s 5] (source = @a destination = @x)",
    inferredMonetary,
  ],
  ["an amount by itself", "vars { monetary $m } send $m (source = @a destination = @x)"],
  [
    "an inferred asset beside a mismatch",
    "vars { asset $a } send [$a 1] (source = max [USD/2 5] from 7 destination = @x)",
    mismatch("7", "account", "number"),
  ],
  [
    "an inferred asset with an origin",
    'vars { asset $a = meta(@m, "k") } send [$a 1] (source = max [USD/2 5] from @a destination = @x)',
  ],
];

const aboveOne = (place: string, got: string): Told => [
  "error",
  "portions-above-one",
  place,
  `Allotment portions are greater than one (Got ${got})`,
];
const belowOne = (place: string, got: string): Told => [
  "error",
  "portions-below-one",
  place,
  `Allotment portions are lesser than one (Got ${got}). Maybe try adding a 'remaining' clause?`,
];
const mayDiffer = (place: string, needed: string): Told => [
  "warning",
  "portions-may-differ-from-one",
  place,
  `Using a variable expression can lead to a runtime error if the expression doesn't resolve to ${needed}.\n\nConsider using a hard-coded value or adding a 'remaining' clause to prevent the error`,
];
const notLast = (place: string): Told => [
  "error",
  "remaining-not-last",
  place,
  "A 'remaining' clause should be the last in an allotment expression",
];
const divisionByZero = (place: string): Told => [
  "error",
  "division-by-zero",
  place,
  "Cannot divide by zero",
];
const withPortions = (destination: string): string =>
  `vars { portion $p portion $q } set_tx_meta("p", $p) set_tx_meta("q", $q) ${to(destination)}`;

const ALLOTMENTS: readonly Row[] = [
  ["shares that are one", to("{ 1/2 to @a 25% to @b (1 + 2 - 1) / 8 to @c }")],
  [
    "shares of a source above one",
    from("{ 1/2 from @a 2/3 from @b }"),
    aboveOne("{ 1/2 from @a 2/3 from @b }", "7/6"),
  ],
  [
    "shares above one with a remaining",
    to("{ 150% to @a remaining to @b }"),
    aboveOne("{ 150% to @a remaining to @b }", "3/2"),
  ],
  [
    "shares above one with a variable",
    withPortions("{ 2/3 to @a $p to @b 2/3 to @c }"),
    aboveOne("{ 2/3 to @a $p to @b 2/3 to @c }", "4/3"),
  ],
  ["shares below one", to("{ 1/2 to @a 1/3 to @b }"), belowOne("{ 1/2 to @a 1/3 to @b }", "5/6")],
  [
    "shares below one in a block",
    to("{ max [C 1] to { 10% to @a } remaining kept }"),
    belowOne("{ 10% to @a }", "1/10"),
  ],
  ["shares below one with a remaining", to("{ 1/2 to @a remaining kept }")],
  [
    "a variable that must be the rest",
    withPortions("{ 1/3 to @a $p to @b }"),
    mayDiffer("$p", "2/3"),
  ],
  ["two variables that may be the rest", withPortions("{ 1/3 to @a $p to @b $q to @c }")],
  ["a variable with a remaining", withPortions("{ 1/3 to @a $p to @b remaining to @c }")],
  [
    "a computed share",
    `vars { number $n } ${to("{ $n / 2 to @a 1/2 to @b }")}`,
    mayDiffer("$n / 2", "1/2"),
  ],
  [
    "variables that must be nothing",
    withPortions("{ $p to @a 100% to @b $q to @c }"),
    mayDiffer("$p", "0/1"),
    mayDiffer("$q", "0/1"),
  ],
  [
    "a remaining of nothing",
    to("{ 1/2 to @a 50% to @b remaining to @c }"),
    [
      "warning",
      "redundant-remaining",
      "remaining",
      "Redundant 'remaining' clause (allotment already sums to 1)",
    ],
  ],
  [
    "a remaining before the last",
    to("{ remaining to @a 1/2 to @b 1/2 to @c }"),
    notLast("{ remaining to @a 1/2 to @b 1/2 to @c }"),
  ],
  [
    "a remaining before shares below one",
    from("{ remaining from @a 1/2 from @b }"),
    notLast("{ remaining from @a 1/2 from @b }"),
    belowOne("{ remaining from @a 1/2 from @b }", "1/2"),
  ],
  [
    "a remaining before a variable",
    withPortions("{ remaining to @a $p to @b }"),
    notLast("{ remaining to @a $p to @b }"),
  ],
  [
    "two remaining",
    to("{ 1/2 to @a remaining to @b remaining to @c }"),
    notLast("{ 1/2 to @a remaining to @b remaining to @c }"),
  ],
  ["nothing but a remaining", to("{ remaining to @a }")],
  ["a share of nothing", to("{ 0/3 to @a 100% to @b }")],
  ["a share by zero", to("{ 1/0 to @a 1/2 to @b }"), divisionByZero("1/0")],
  [
    "a share by what comes to zero",
    to("{ 1/(3 - 3) to @a remaining to @b }"),
    divisionByZero("1/(3 - 3)"),
  ],
  ["a quotient by zero that is no share", 'set_tx_meta("k", 1/-0)', divisionByZero("1/-0")],
  [
    "a share below zero",
    to("{ -1/2 to @a remaining to @b }"),
    ["error", "invalid-share", "-1/2", "Invalid allotment: a share is between 0 and 1 (got -1/2)"],
  ],
];

describe.each([
  ["variables", VARIABLES],
  ["types", TYPES],
  ["assets", ASSETS],
  ["allotments", ALLOTMENTS],
])("the check of %s", (_title, rows) => {
  test.each(namedRows(rows))(
    "the check reports what is wrong, if anything, with $title",
    ({ script, told }) => {
      expect(tell(script, "experimental-interpreter")).toEqual(told);
    },
  );
});
