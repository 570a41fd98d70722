import { describe, expect, test } from "vitest";
import { namedRows, type Row, tell, type Told } from "#test/support/numscript/check.ts";

/* Diagnostics about sources, functions, features and versions in scripts for the interpreter. */

const from = (source: string): string => `send [C 10] (source = ${source} destination = @x)`;
const allFrom = (source: string): string => `send [C *] (source = ${source} destination = @x)`;

const worldOverdraft: Told = [
  "warning",
  "overdraft-on-world",
  "@world",
  "@world is already set to be overdraft",
];
const allOfAllotment = (place: string): Told => [
  "warning",
  "send-all-allotment",
  place,
  "Cannot take all balance of an allotment source",
];
const allOfUnbounded = (place: string): Told => [
  "error",
  "send-all-unbounded",
  place,
  "Cannot take all balance of an unbounded source",
];
const emptied = (place: string): Told => [
  "warning",
  "emptied-account",
  place,
  `${place} is already empty at this point`,
];
const unreachable = (place: string): Told => [
  "warning",
  "unreachable-source",
  place,
  "Inorder sources after an unbounded overdraft are never reached",
];

const SOURCES: readonly Row[] = [
  ["an unbounded overdraft of world", from("@world allowing unbounded overdraft"), worldOverdraft],
  ["a limited overdraft of world", from("@world allowing overdraft up to [C 1]"), worldOverdraft],
  ["an overdraft of another account", from("@a allowing unbounded overdraft")],

  [
    "all of an allotment",
    allFrom("{ 1/2 from @a remaining from @b }"),
    allOfAllotment("{ 1/2 from @a remaining from @b }"),
  ],
  ["all of an allotment under a cap", allFrom("max [C 1] from { 1/2 from @a remaining from @b }")],
  ["all of world", allFrom("@world"), allOfUnbounded("@world")],
  ["all of world at the end of a list", allFrom("{ @a @world }"), allOfUnbounded("@world")],
  [
    "all of an unbounded overdraft",
    allFrom("@a allowing unbounded overdraft"),
    allOfUnbounded("@a"),
  ],
  ["all of world under a cap", allFrom("{ max [C 1] from @world @a }")],
  ["all of an account with a limited overdraft", allFrom("@a allowing overdraft up to [C 1]")],

  ["an account twice", from("{ @a @b @a }"), emptied("@a")],
  ["an account twice, in a list within", from("{ @a { @b { @a } } }"), emptied("@a")],
  ["an account three times", from("{ @a @a @a }"), emptied("@a"), emptied("@a")],
  ["an account under a cap before", from("{ max [C 1] from @a @a }")],
  ["an account under a cap behind", from("{ @a max [C 1] from @a }"), emptied("@a")],
  ["an account twice under a cap", from("{ max [C 1] from { @a @a } @a }"), emptied("@a")],
  ["an account in two branches", from("{ 1/2 from @a 1/2 from @a }")],
  ["an account twice in one branch", from("{ 1/2 from { @a @a } 1/2 from @a }"), emptied("@a")],
  ["an account with an overdraft behind", from("{ @a @a allowing overdraft up to [C 1] }")],
  ["an account with an overdraft before", from("{ @a allowing overdraft up to [C 1] @a }")],
  ["an account in two colors", from('{ @a \\ "RED" @a \\ "BLUE" @a }')],
  ["an account twice in one color", from('{ @a \\ "RED" @a \\ "RED" }'), emptied("@a")],
  ["an account in no color", from('{ @a @a \\ "" }'), emptied("@a")],
  ["a variable twice", `vars { account $a } ${from("{ $a $a }")}`],
  ["an account in two statements", `${from("@a")} ${from("@a")}`],
  ["an account in two attempts", from("oneof { @a { @a @b } }")],
  ["an account twice in one attempt", from("oneof { @a { @b @b } }"), emptied("@b")],
  ["world twice", from("{ @world @world }"), unreachable("@world")],

  ["a source after world", from("{ @a @world @b @c }"), unreachable("@b"), unreachable("@c")],
  [
    "a source after an unbounded overdraft",
    from("{ @a allowing unbounded overdraft @b }"),
    unreachable("@b"),
  ],
  [
    "a source after a list that ends with world",
    from("{ { @a @world } max [C 1] from @b }"),
    unreachable("max [C 1] from @b"),
  ],
  [
    "a list after world, once",
    from("{ @world { @a @b } @c }"),
    unreachable("{ @a @b }"),
    unreachable("@c"),
  ],
  ["world at the end", from("{ @a @world }")],
  ["a source after world under a cap", from("{ max [C 1] from @world @b }")],
  ["sources after world in a cap", from("{ max [C 1] from { @world @a } @b }"), unreachable("@a")],
  ["a branch after one with world", from("{ 1/2 from @world 1/2 from @b }")],
  ["an attempt after world", from("oneof { @world @b }"), unreachable("@b")],
  ["a statement after one from world", `${from("@world")} ${from("@a")}`],
];

const unknown = (name: string): Told => [
  "error",
  "unknown-function",
  name,
  `The function '${name}' does not exist`,
];
const misplaced = (name: string, context: string): Told => [
  "error",
  "unknown-function",
  name,
  `You cannot use this function here (try to use it in a ${context} context)`,
];
const arity = (place: string, expected: number, got: number): Told => [
  "error",
  "wrong-arity",
  place,
  `Wrong number of arguments (expected ${expected}, got ${got} instead)`,
];

const FUNCTIONS: readonly Row[] = [
  ["an unknown statement", "nope(1)", unknown("nope")],
  ["an unknown function", 'set_tx_meta("k", nope(1))', unknown("nope")],
  [
    "the arguments of an unknown function",
    'set_tx_meta("k", nope("a" + 1))',
    unknown("nope"),
    [
      "error",
      "type-mismatch",
      '"a"',
      "Type mismatch (expected 'number|monetary', got 'string' instead)",
    ],
  ],
  ["a function as a statement", "balance(@a, C)", misplaced("balance", "variable origin")],
  ["overdraft as a statement", "overdraft(@a, C)", misplaced("overdraft", "variable origin")],
  [
    "a statement as an origin",
    `vars { string $a = set_tx_meta("k", 1) } set_tx_meta("l", $a)`,
    misplaced("set_tx_meta", "statement"),
  ],
  [
    "a statement as an argument",
    `set_tx_meta("k", set_tx_meta("l", 1))`,
    misplaced("set_tx_meta", "statement"),
  ],
  [
    "metadata as an argument",
    'set_tx_meta("k", meta(@a, "k"))',
    misplaced("meta", "variable origin"),
  ],
  [
    "metadata within an origin",
    `vars { monetary $m = balance(meta(@a, "k"), C) } set_tx_meta("l", $m)`,
    misplaced("meta", "variable origin"),
  ],
  ["a balance as an argument", 'set_tx_meta("k", balance(@a, C))'],
  ["too few arguments", 'set_tx_meta("k")', arity('set_tx_meta("k")', 2, 1)],
  [
    "no arguments",
    'vars { monetary $m = balance() } set_tx_meta("l", $m)',
    arity("balance()", 2, 0),
  ],
  ["too many arguments", 'set_tx_meta("k", 1, 2, 3)', arity("2, 3", 2, 4)],
  [
    "too many arguments of other types",
    "set_tx_meta(1, 1, $a)",
    ["error", "type-mismatch", "1", "Type mismatch (expected 'string', got 'number' instead)"],
    ["error", "unbound-variable", "$a", "The variable '$a' was not declared"],
    arity("$a", 2, 3),
  ],
];

const version = (place: string, required: string, got: string): Told => [
  "error",
  "version-mismatch",
  place,
  `Version mismatch. Required version '${required}' (but got '${got}' instead)`,
];
const experimental = (place: string, feature: string): Told => [
  "error",
  "experimental-feature",
  place,
  `This feature is experimental. Add this comment to your script:\n// @feature_flag ${feature}`,
];
const written = (comments: string[], script: string): string =>
  [...comments.map((comment) => `// @${comment}\n`), script].join("");

/** Scripts that need a version and a flag, each with the part that needs them. */
const FLAGGED = [
  ["oneof { @a @b }", "experimental-oneof", 15, from("oneof { @a @b }")],
  [
    "oneof { remaining to @a }",
    "experimental-oneof",
    15,
    "send [C 1] (source = @s destination = oneof { remaining to @a })",
  ],
  ["@a:$b", "experimental-account-interpolation", 15, `vars { account $b } ${from("@a:$b")}`],
  ["overdraft(@a, C)", "experimental-overdraft-function", 15, 'set_tx_meta("k", overdraft(@a, C))'],
  ["get_asset([C 1])", "experimental-get-asset-function", 16, 'set_tx_meta("k", get_asset([C 1]))'],
  [
    "get_amount([C 1])",
    "experimental-get-amount-function",
    16,
    'set_tx_meta("k", get_amount([C 1]))',
  ],
] as const;

const VERSIONS: readonly Row[] = [
  ...FLAGGED.flatMap(([place, feature, patch, script]): Row[] => [
    [`${place} without a version`, script],
    [
      `${place} with its version and flag`,
      written([`version interpreter 0.0.${patch}`, `feature_flag ${feature}`], script),
    ],
    [
      `${place} without its flag`,
      written([`version interpreter 0.0.${patch}`], script),
      experimental(place, feature),
    ],
    [
      `${place} with the flag in the script`,
      written([`version interpreter 0.0.${patch}`], `#![feature("${feature}")] ${script}`),
      experimental(place, feature),
    ],
    [
      `${place} in an older version`,
      written([`version interpreter 0.0.${patch - 1}`, `feature_flag ${feature}`], script),
      version(place, `interpreter 0.0.${patch}`, `interpreter 0.0.${patch - 1}`),
    ],
    [
      `${place} for the machine`,
      written(["version machine"], script),
      version(place, `interpreter 0.0.${patch}`, "machine"),
    ],
  ]),
  [
    "a computed quotient in an older version",
    written(["version interpreter 0.0.14"], 'set_tx_meta("k", 1/(2 + 1))'),
    version("1/(2 + 1)", "interpreter 0.0.15", "interpreter 0.0.14"),
  ],
  [
    "a computed quotient in its version",
    written(["version interpreter 0.0.15"], 'set_tx_meta("k", 1/(2 + 1))'),
  ],
  [
    "a quotient of numbers in an older version",
    written(["version interpreter 0.0.14"], 'set_tx_meta("k", 1/2)'),
  ],
  [
    "the minor version before the patch",
    written(["version interpreter 0.1.0"], 'set_tx_meta("k", 1/(2 + 1))'),
  ],
  [
    "the major version before both",
    written(["version interpreter 1.0.0"], 'set_tx_meta("k", 1/(2 + 1))'),
  ],
  [
    "the first version that is named",
    written(["version interpreter 0.0.15", "version machine"], 'set_tx_meta("k", 1/(2 + 1))'),
  ],
  ["an invalid version", written(["version interpreter latest"], 'set_tx_meta("k", 1/(2 + 1))')],
  [
    "an unknown feature",
    '#![feature("experimental-oneof", "nope")]',
    ["error", "unknown-feature", '"nope"', "Unknown feature: nope"],
  ],
];

describe.each([
  ["sources", SOURCES],
  ["functions", FUNCTIONS],
  ["versions and features", VERSIONS],
])("the check of %s", (_title, rows) => {
  test.each(namedRows(rows))(
    "the check reports what is wrong, if anything, with $title",
    ({ script, told }) => {
      expect(tell(script, "experimental-interpreter")).toEqual(told);
    },
  );
});
