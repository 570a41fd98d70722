import * as fc from "fast-check";
import { loadCases } from "./cases.ts";
import { movements } from "./scripts.ts";
import { syntaxOf } from "./syntax.ts";
import { printProgram } from "#numscript/print/print.ts";

/** A text that may be a script, with the inputs of its run. */
export interface Attempt {
  readonly text: string;
  /** The value of variables of each type. */
  readonly values: Readonly<Record<string, string>>;
  /** The balance of every account (`balance`), and the value of every metadata key. */
  readonly balance: bigint;
  readonly metadata: string | undefined;
  readonly hasFlags: boolean;
}

/** Words and signs of the language, and hostile texts. */
const FRAGMENTS = [
  ..."+ - * / ( ) [ ] { } = , : @ $ % \\ # ! ; ' ` ~ | & < > ? ^ .".split(" "),
  ..."vars send source destination max from to kept remaining save print fail oneof with scaling".split(
    " ",
  ),
  ..."through meta balance overdraft get_asset get_amount set_tx_meta set_account_meta".split(" "),
  ..."account asset number monetary portion string allocate feature up unbounded allowing".split(
    " ",
  ),
  "allowing unbounded overdraft",
  "allowing overdraft up to",
  '#![feature("experimental-oneof")]',
  "// @version interpreter 0.0.15\n",
  "// @feature_flag experimental-oneof\n",
  "@world",
  "@a:b",
  "@a:$b",
  "$a",
  "C",
  "USD/2",
  "A//2",
  "[C 10]",
  "[C *]",
  "0",
  "1",
  "-1",
  "1_000",
  "1/3",
  "0/0",
  "1/0",
  "100%",
  "0.000000000000000001%",
  "9".repeat(400),
  "9".repeat(2000),
  "/*",
  "*/",
  "//",
  "\n",
  "\r\n",
  "\r",
  "\t",
  " ",
  "\u0000",
  "\uFEFF",
  "\u00A0",
  "\u2028",
  "\uD834",
  "\uDD1E",
  "𝄞",
  "é",
  '"',
  '\\"',
  '"\\x"',
  '"\\u12"',
  '"\\377"',
  "__proto__",
  "constructor",
  "$__proto__",
  "@__proto__",
] as const;

const fixtures = [...loadCases("numscript"), ...loadCases("numscript-random")].map(({ s }) => s);
const scripts = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...fixtures) },
  {
    weight: 4,
    arbitrary: movements({ withKept: true, withSave: true }).map(({ program }) =>
      printProgram(program, "machine"),
    ),
  },
  {
    weight: 1,
    arbitrary: syntaxOf("machine").map((program) => printProgram(program, "machine")),
  },
  {
    weight: 1,
    arbitrary: syntaxOf("experimental-interpreter").map((program) =>
      printProgram(program, "experimental-interpreter"),
    ),
  },
);

const fragments = fc.constantFrom(...FRAGMENTS);
/** Positions in a text, which are taken modulo its length. */
const places = fc.nat(1_000_000);

/** A change of a text that is split into words, signs and blanks. */
type Edit = (pieces: readonly string[]) => string[];

const at = (pieces: readonly string[], place: number): number => place % (pieces.length + 1);
const slicing = fc.record({ place: places, count: fc.integer({ min: 1, max: 12 }) });

/** Replaces a piece by another piece of its kind, so that most scripts stay scripts. */
const replacing = (kind: RegExp, texts: fc.Arbitrary<string>): fc.Arbitrary<Edit> =>
  fc.record({ place: places, text: texts }).map(({ place, text }): Edit => (pieces) => {
    const indices = [...pieces.keys()].filter((index) => kind.test(pieces[index] ?? ""));
    const index = indices[place % Math.max(1, indices.length)];
    return index === undefined ? [...pieces] : pieces.with(index, text);
  });

/** Edits whole lines, such as clauses and ends of blocks. */
const relining = (edit: (lines: string[], first: number, second: number) => string[]) =>
  fc.record({ first: places, second: places }).map(({ first, second }): Edit => (pieces) => {
    const lines = pieces.join("").split("\n");
    return cut(edit(lines, first % lines.length, second % lines.length).join("\n"));
  });

const edits: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 12,
    arbitrary: replacing(
      /^[0-9]+$/,
      fc.constantFrom("0", "1", "2", "3", "10", "100", "99999999999999999999999", "9".repeat(600)),
    ),
  },
  {
    weight: 6,
    arbitrary: replacing(/^[a-z]$/, fc.constantFrom("a", "b", "c", "d", "world", "x", "amt")),
  },
  {
    weight: 3,
    arbitrary: replacing(
      /^(remaining|kept|max|from|to|send|save|source|destination)$/,
      fc.constantFrom("remaining", "kept", "1/2", "0%", "oneof", "save", "send"),
    ),
  },
  { weight: 6, arbitrary: relining((lines, first) => lines.toSpliced(first, 1)) },
  {
    weight: 8,
    arbitrary: relining((lines, first, second) => lines.toSpliced(second, 0, lines[first] ?? "")),
  },
  {
    weight: 6,
    arbitrary: relining((lines, first, second) => swapped(lines, first, second)),
  },
  {
    weight: 8,
    arbitrary: slicing.map(({ place, count }): Edit => (pieces) => {
      return pieces.toSpliced(at(pieces, place), count);
    }),
  },
  {
    weight: 8,
    arbitrary: fc
      .record({ place: places, fragment: fragments })
      .map(({ place, fragment }): Edit => (pieces) => {
        return pieces.toSpliced(at(pieces, place), 0, fragment);
      }),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({ place: places, fragment: fragments })
      .map(({ place, fragment }): Edit => (pieces) => {
        return pieces.toSpliced(at(pieces, place), 1, fragment);
      }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ place: places, text: fc.string({ unit: "binary", maxLength: 4 }) }).map(
      ({ place, text }): Edit =>
        (pieces) =>
          pieces.toSpliced(at(pieces, place), 0, text),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.record({ first: places, second: places }).map(({ first, second }): Edit => {
      return (pieces) => swapped(pieces, at(pieces, first), at(pieces, second));
    }),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({ slice: slicing, target: places })
      .map(({ slice: { place, count }, target }): Edit => (pieces) => {
        const start = at(pieces, place);
        return pieces.toSpliced(at(pieces, target), 0, ...pieces.slice(start, start + count));
      }),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ place: places, other: scripts, otherPlace: places })
      .map(({ place, other, otherPlace }): Edit => (pieces) => {
        const others = cut(other);
        return [...pieces.slice(0, at(pieces, place)), ...others.slice(at(others, otherPlace))];
      }),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ slice: slicing, times: fc.oneof(fc.nat(200), fc.nat(5000)) })
      .map(({ slice: { place, count }, times }): Edit => (pieces) => {
        const start = at(pieces, place);
        const repeated = pieces
          .slice(start, start + count)
          .join("")
          .repeat(times);
        return pieces.toSpliced(start, 0, repeated.slice(0, REPEATED_LENGTH_MAX));
      }),
  },
);

/** A length above the limit of scripts, so that some attempts exceed it. */
const REPEATED_LENGTH_MAX = 120_000;

const cut = (text: string): string[] => text.match(/\s+|\w+|[^]/g) ?? [];

function swapped(pieces: readonly string[], first: number, second: number): string[] {
  const result = [...pieces];
  [result[first], result[second]] = [pieces[second] ?? "", pieces[first] ?? ""];
  return result;
}

/** After one change many scripts still run; after many changes hardly any script does. */
const few = fc.array(edits, { minLength: 1, maxLength: 1 });
const many = fc.array(edits, { minLength: 2, maxLength: 6 });
const mutatedScripts = fc
  .record({ script: scripts, edits: fc.oneof(few, few, many) })
  .map(({ script, edits }) => {
    let pieces = cut(script);
    for (const edit of edits) pieces = edit(pieces);
    return pieces.join("");
  });

const words = fc
  .array(fc.tuple(fragments, fc.constantFrom("", " ", " ", "\n")), { maxLength: 40 })
  .map((pairs) => pairs.flat().join(""));

const texts = fc.oneof(
  { weight: 10, arbitrary: mutatedScripts },
  { weight: 1, arbitrary: scripts },
  { weight: 1, arbitrary: words },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 100 }) },
);

/** Values for variables of each type, most of them valid. */
const valuesByType = fc.record({
  account: fc.constantFrom("a", "a", "b", "users:1", "world", "", "@a", "a b"),
  asset: fc.constantFrom("C", "C", "USD/2", "usd", "USD/1234567"),
  number: fc.constantFrom("0", "1", "3", "-5", "1e3", "007", "9".repeat(999), "9".repeat(5000)),
  monetary: fc.constantFrom(
    "C 10",
    "C 10",
    "C 0",
    "USD/2 -5",
    "C",
    "C 1 2",
    `C ${"9".repeat(2000)}`,
  ),
  portion: fc.constantFrom("1/2", "1/3", "25%", "0/1", "3/2", "1/0", `1/${"9".repeat(600)}`, "x"),
  string: fc.constantFrom("", "text", '"', "\n", "world", "RED"),
});

/** Texts of all kinds with inputs, most of them scripts with a few changes. */
export const attempts: fc.Arbitrary<Attempt> = fc.record({
  text: texts,
  values: valuesByType,
  balance: fc.constantFrom(0n, 5n, 100n, 100n, -7n, 10n ** 50n),
  metadata: fc.constantFrom(undefined, "a", "C 10", "1/2", "12", "world", ""),
  hasFlags: fc.boolean(),
});
