import { describe, expect, test } from "vitest";
import { parseEntryJson, UnparsedJson } from "#ledger-engine/rules/log/entry-json.ts";
import { decimalSource, parseJson } from "#platform/json.ts";
import { CHAINED, LINES } from "#test/support/ledger-engine/import-refusals.ts";

const [LINE = ""] = LINES;
const NAMES = [
  "postCommitVolumes",
  "postCommitEffectiveVolumes",
  "preCommitVolumes",
  "preCommitEffectiveVolumes",
] as const;
const VOLUMES = '{"a":{"USD":{"input":1,"output":0,"balance":1}}}';

/** The number of values that were left as text. */
let unparsed = 0;

/** A result of the parser, with the values parsed that it left as text. */
function whole(value: unknown): unknown {
  if (value instanceof UnparsedJson) {
    unparsed++;
    return value.parse();
  }
  if (Array.isArray(value)) return value.map(whole);
  if (typeof value === "symbol") return `decimal ${decimalSource(value)}`;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, whole(item)]));
}

function expectSame(text: string): number {
  unparsed = 0;
  expect(whole(parseEntryJson(text))).toEqual(whole(parseJson(text)));
  return unparsed;
}

/** An exported entry of a new transaction with these members. */
const entry = (members: string, rest = ""): string =>
  `{"type":"NEW_TRANSACTION","data":{"transaction":{${members}}},"id":1${rest}}`;

describe("an exported entry", () => {
  test("of a new transaction is parsed without its volumes, which are left as they are written", () => {
    const { data } = parseEntryJson(LINE) as { data: { transaction: Record<string, unknown> } };
    for (const name of NAMES) {
      const value = data.transaction[name];
      expect(value).toBeInstanceOf(UnparsedJson);
      const { text } = value as UnparsedJson;
      expect(LINE).toContain(`"${name}":${text}`);
      expect(parseJson(text)).toMatchObject({ world: { USD: {} }, bank: { USD: {} } });
    }
  });

  test("is read as JSON, whatever it is about", () => {
    for (const line of [...LINES, ...CHAINED]) expectSame(line);
    expect(expectSame(LINE)).toBe(4);
    expect(expectSame(LINE.replace("{", "{ "))).toBe(0);
  });

  test("with large volumes keeps them exact", () => {
    const large = LINE.replaceAll(/("(?:input|output|balance)":-?)\d+/g, `$1${10n ** 40n}`);
    expect(expectSame(large)).toBe(4);
    const tooLarge = LINE.replaceAll(/("input":)\d+/g, `$1${"1".repeat(1500)}`);
    expect(expectSame(tooLarge)).toBe(0);
  });
});

describe("what looks like volumes", () => {
  const TEXTS: Readonly<Record<string, [string, number]>> = {
    "of the transaction, alone": [entry(`"postCommitVolumes":${VOLUMES}`), 1],
    "of an account of that name": [
      entry(
        `"postCommitVolumes":{"postCommitVolumes":{"USD":{"input":1,"output":0,"balance":1}},"preCommitVolumes":{"USD":{"input":1,"output":0,"balance":1}}}`,
      ),
      1,
    ],
    "in another member of the transaction": [
      entry(`"metadata":{"postCommitVolumes":${VOLUMES}},"preCommitVolumes":${VOLUMES}`),
      0,
    ],
    "in metadata alone": [entry(`"metadata":{"updatedAt":"","postCommitVolumes":${VOLUMES}}`), 0],
    "beside the transaction": [entry(`"id":1`, `,"postCommitVolumes":${VOLUMES}`), 0],
    "in a name with an escape": [entry(`"x\\"postCommitVolumes":${VOLUMES}`), 0],
    "in a text": [
      entry(`"metadata":{"k":"\\"postCommitVolumes\\":${VOLUMES.replaceAll('"', '\\"')}"}`),
      0,
    ],
    "twice, the first in another form": [
      entry(`"postCommitVolumes":{},"postCommitVolumes":${VOLUMES}`),
      0,
    ],
    "twice, the last in another form": [
      entry(`"postCommitVolumes":${VOLUMES},"postCommitVolumes":{}`),
      0,
    ],
    "twice the same": [entry(`"postCommitVolumes":${VOLUMES},"postCommitVolumes":${VOLUMES}`), 0],
    "of a transaction that comes twice": [
      `{"type":"NEW_TRANSACTION","data":{"transaction":{"postCommitVolumes":${VOLUMES}},"transaction":{"id":1}}}`,
      0,
    ],
    "of data that comes twice": [
      `{"type":"NEW_TRANSACTION","data":{"transaction":{"postCommitVolumes":${VOLUMES}}},"data":{}}`,
      0,
    ],
    "beside a number that could stand for it": [
      entry(`"postCommitVolumes":${VOLUMES},"preCommitVolumes":-900000000000003`),
      0,
    ],
    "in another order": [entry(`"preCommitVolumes":${VOLUMES},"postCommitVolumes":${VOLUMES}`), 1],
    "with a name that needs an escape": [
      entry(`"postCommitVolumes":${VOLUMES.replace('"a"', '"\\u0061"')}`),
      0,
    ],
    "with spaces": [entry(`"postCommitVolumes":${VOLUMES.replace(":", ": ")}`), 0],
    "with more than volumes": [
      entry(`"postCommitVolumes":${VOLUMES.replace('"input"', '"more":1,"input"')}`),
      0,
    ],
    "with decimals": [entry(`"postCommitVolumes":${VOLUMES.replace("1", "1.0")}`), 0],
    "without any account": [entry('"postCommitVolumes":{}'), 0],
    "beside a decimal": [entry(`"id":1.5,"postCommitVolumes":${VOLUMES}`), 1],
    "of an account named __proto__": [
      entry(`"postCommitVolumes":${VOLUMES.replace('"a"', '"__proto__"')},"__proto__":{}`),
      1,
    ],
  };

  test.each(Object.entries(TEXTS))("%s is read as JSON", (_, [text, left]) => {
    expect(expectSame(text)).toBe(left);
  });

  const BROKEN = [
    entry(`"postCommitVolumes":${VOLUMES}5`),
    entry(`"postCommitVolumes":${VOLUMES},`),
    entry(`"k":"postCommitVolumes":${VOLUMES}`),
    entry(`"postCommitVolumes":${VOLUMES.replace("1", "01")}`),
    entry(`"postCommitVolumes":${VOLUMES}`).slice(0, -1),
    entry(`"postCommitVolumes":${VOLUMES}`).slice(0, 90),
    `${entry(`"postCommitVolumes":${VOLUMES}`)}x`,
  ];

  test.each(BROKEN)("in broken JSON is refused with what is wrong there: %s", (text) => {
    const messageOf = (parse: (text: string) => unknown): string => {
      try {
        parse(text);
      } catch (error) {
        return String(error);
      }
      return "";
    };
    expect(messageOf(parseEntryJson)).toMatch(/^SyntaxError: /);
    expect(messageOf(parseEntryJson)).toBe(messageOf(parseJson));
  });
});
