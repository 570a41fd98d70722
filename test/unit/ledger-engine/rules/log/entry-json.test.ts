import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memberOf, parseWithoutDerived } from "#ledger-engine/rules/log/entry-json.ts";
import { decimalSource, parseJson } from "#platform/json.ts";
import { CHAINED, LINES } from "#test/support/ledger-engine/import-refusals.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const [LINE = ""] = LINES;
const VOLUMES = '{"a":{"USD":{"input":1,"output":0,"balance":1}}}';
const DERIVED = `"insertedAt":"2026-03-01T10:00:00Z","postCommitVolumes":${VOLUMES}`;

/** An entry with the members that the parser left out put back, for the comparison with a fully parsed one. */
function whole(text: string): unknown {
  const parsed = parseWithoutDerived(text);
  if (parsed === undefined) return comparable(parseJson(text));
  const { data } = parsed.value as { data: { transaction: object } };
  Object.assign(parsed.value as object, {
    data: { ...data, transaction: { ...data.transaction, ...members(parsed.derived) } },
  });
  return comparable(parsed.value);
}

const members = (text: string): object => parseJson(`{${text}}`) as object;

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value === "symbol") return `decimal ${decimalSource(value)}`;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, comparable(item)]));
}

/** Asserts that an entry is parsed as JSON is. Returns whether the parser left members out. */
function expectSame(text: string): boolean {
  expect(whole(text)).toEqual(comparable(parseJson(text)));
  return parseWithoutDerived(text) !== undefined;
}

/** The text of an exported entry of a transaction with the given members. */
const entry = (transaction: string, rest = ""): string =>
  `{"type":"NEW_TRANSACTION","data":{"transaction":{${transaction}},"accountMetadata":{}},"id":1${rest}}`;

describe("an exported entry", () => {
  test("an exported entry of a new transaction is parsed without what the ledger derives, which is left as it is written", () => {
    const parsed = parseWithoutDerived(LINE);
    const transaction = memberOf(memberOf(parsed?.value, "data"), "transaction");
    expect(Object.keys(transaction as object)).toEqual([
      "postings",
      "metadata",
      "timestamp",
      "reference",
      "id",
    ]);
    expect(LINE).toContain(`,${parsed?.derived}},"accountMetadata":`);
    expect(Object.keys(members(parsed?.derived ?? ""))).toEqual([
      "insertedAt",
      "updatedAt",
      "postCommitVolumes",
      "postCommitEffectiveVolumes",
      "reverted",
      "preCommitVolumes",
      "preCommitEffectiveVolumes",
    ]);
  });

  test("an exported entry is read as JSON, whatever it is about", () => {
    for (const line of [...LINES, ...CHAINED]) {
      expect(expectSame(line)).toBe(line.startsWith('{"type":"NEW_TRANSACTION"'));
    }
    expect(expectSame(LINE.replace("{", "{ "))).toBe(false);
  });

  test("an exported entry is read as JSON, whatever its members, wherever they are", () => {
    const member = fc.constantFrom(
      '"id":1',
      '"id":2',
      '"template":"t"',
      '"insertedAt":"x"',
      '"insertedAt": "y"',
      '"insertedAt":-900000000000001',
      '"metadata":{"k":"v","insertedAt":"z"}',
      '"metadata":{"k":"v","insertedAt":"z"},"accountMetadata":{}',
      '"metadata":{"k":",\\"insertedAt\\":1"}',
      '"reverted":false',
      '"amount":1.50',
      `"amount":${10n ** 40n}`,
      `"postCommitVolumes":${VOLUMES}`,
      '"__proto__":{"insertedAt":"p"}',
      '"x":{"k":"v","insertedAt":"z"},"accountMetadata":{"k":{}}',
    );
    let left = 0;
    const lists = fc.array(member, { maxLength: 6 });
    fc.assert(
      fc.property(lists, lists, (inside, outside) => {
        const more = outside.map((text) => `,${text}`).join("");
        if (expectSame(entry(['"postings":[]', ...inside].join(","), more))) left++;
      }),
      { numRuns: runsOf(1000) },
    );
    expect(left).toBeGreaterThan(runsOf(20));
  });
});

describe("an entry of a usual form", () => {
  const HEAD = '{"type":"NEW_TRANSACTION","data":{"transaction":{"postings":[';
  const POSTING = '{"source":"world","destination":"a:b","amount":12,"asset":"USD/2"}';
  const TAIL =
    '"date":"2026-03-01T10:00:00Z","idempotencyKey":"k","idempotencyHash":"h=","id":7,"hash":"g="}';
  const LEDGER = `,${DERIVED}},"accountMetadata":{}},`;
  const PLAIN = `${HEAD}${POSTING}],"metadata":{},"timestamp":"2026-03-01T10:00:00Z","id":6${LEDGER}${TAIL}`;

  test("an entry of a usual form is read as JSON", () => {
    expect(expectSame(PLAIN)).toBe(true);
    expect(parseWithoutDerived(PLAIN)?.derived).toBe(DERIVED);
  });

  const CHANGES: Readonly<Record<string, [string, string]>> = {
    "with metadata": ['"metadata":{}', '"metadata":{"k":"v","l":"\\u00e9\\n"}'],
    "with braces in metadata": ['"metadata":{}', '"metadata":{"k":"}","l":"{"}'],
    "with nested metadata": ['"metadata":{}', '"metadata":{"k":{}}'],
    "with a decimal in metadata": ['"metadata":{}', '"metadata":{"k":1.50}'],
    "with a large integer in metadata": ['"metadata":{}', `"metadata":{"k":${10n ** 20n}}`],
    "with a reference": ['"id":6', '"reference":"r-1","id":6'],
    "with an escape in the reference": ['"id":6', '"reference":"r\\"1","id":6'],
    "with a further member": ['"id":6', '"id":6,"x":{"insertedAt":1}'],
    "with its id twice": ['"id":6', '"id":6,"id":5'],
    "with a large amount": ['"amount":12', `"amount":${10n ** 30n}`],
    "with a rounded amount": ['"amount":12', '"amount":9007199254740993'],
    "with the largest plain amount": ['"amount":12', '"amount":999999999999999'],
    "with a negative amount": ['"amount":12', '"amount":-12'],
    "with a decimal amount": ['"amount":12', '"amount":12.0'],
    "with an amount of zero": ['"amount":12', '"amount":0'],
    "with a text as amount": ['"amount":12', '"amount":"12"'],
    "with an escape in an address": ['"a:b"', '"a\\u003ab"'],
    "with two postings": [POSTING, `${POSTING},${POSTING}`],
    "without postings": [POSTING, ""],
    "with a list among its postings": [POSTING, `${POSTING},[]`],
    "with another value among its postings": [POSTING, `${POSTING},null`],
    "with a bracket in an address": ['"a:b"', '"a]b"'],
    "with metadata of accounts": ['"accountMetadata":{}', '"accountMetadata":{"a":{"k":"v"}}'],
    "with a schema": ['"hash":"g="}', '"hash":"g=","schemaVersion":"v1"}'],
    "with another order of members": ['"id":7,"hash":"g="', '"hash":"g=","id":7'],
    "with a template": [`${DERIVED}}`, `${DERIVED},"template":"t"}`],
    "with null as hash": ['"g="', "null"],
    "with spaces": ['"date":', '"date": '],
  };

  test.each(Object.entries(CHANGES))("an entry %s is read as JSON", (_, [from, to]) => {
    const text = PLAIN.replace(from, () => to);
    expect(text).not.toBe(PLAIN);
    expectSame(text);
  });

  test.each([
    ['"amount":12', '"amount":012'],
    ['"id":7', '"id":07'],
    [POSTING, `${POSTING},`],
    ['"metadata":{}', '"metadata":{"k"}'],
    ['"metadata":{}', '"metadata":{"k":"v}'],
    ['"metadata":{}', '"metadata":{"k":"\\u0000"}'],
    ['"world"', '"wor\nld"'],
    ['"hash":"g="}', '"hash":"g="'],
    ['"hash":"g="}', '"hash":"g="}}'],
  ])("an entry of a usual form is parsed as a whole where it is no JSON: %s as %s", (from, to) => {
    const text = PLAIN.replace(from, () => to);
    expect(() => parseJson(text)).toThrow(SyntaxError);
    expect(parseWithoutDerived(text)).toBeUndefined();
  });

  test("an entry of a usual form that ends within what is derived differs from what a ledger derives", () => {
    const end = `},"accountMetadata":{}},"type":"SET_METADATA","data":{"transaction":{`;
    const parsed = parseWithoutDerived(PLAIN.replace(DERIVED, () => `${DERIVED}${end}${DERIVED}`));
    expect(parsed?.derived).toContain(end);
  });
});

describe("what looks like what is derived", () => {
  const TEXTS: Readonly<Record<string, [string, boolean]>> = {
    "of the transaction": [entry(`"id":1,${DERIVED}`), true],
    "of the transaction, as its only members": [entry(DERIVED), false],
    "in metadata alone": [entry(`"metadata":{"k":"v",${DERIVED}}`), false],
    "in metadata, too": [entry(`"metadata":{"k":"v",${DERIVED}},${DERIVED}`), false],
    "beside the transaction": [entry('"id":1', `,${DERIVED}`), false],
    "with a template among it": [entry(`"id":1,${DERIVED},"template":"t"`), false],
    "in a name with an escape": [entry(`"id":1,"x\\",${DERIVED.slice(1)}`), false],
    "in a text": [entry(`"k":"v,${DERIVED.replaceAll('"', '\\"')}"`), false],
    twice: [entry(`"id":1,${DERIVED},${DERIVED}`), true],
    "with another member among it": [entry(`"id":1,${DERIVED},"id":2`), true],
    "of a transaction that comes twice": [
      `{"type":"NEW_TRANSACTION","data":{"transaction":{"id":1,${DERIVED}},"accountMetadata":{},"transaction":{"id":1}}}`,
      false,
    ],
    "of data that comes twice": [
      `{"type":"NEW_TRANSACTION","data":{"transaction":{"id":1,${DERIVED}},"accountMetadata":{}},"data":{}}`,
      false,
    ],
    "beside a number that could stand for it": [
      entry(`"id":1,${DERIVED}`, ',"date":-900000000000001'),
      false,
    ],
    "beside a decimal": [entry(`"id":1.5,${DERIVED}`), true],
    "that is no JSON": [entry(`"id":1,${DERIVED.slice(0, -1)}`), true],
  };

  test.each(Object.entries(TEXTS))(
    "a member that looks derived %s is left out, or read as JSON",
    (_, [text, isLeftOut]) => {
      expect(parseWithoutDerived(text) !== undefined).toBe(isLeftOut);
      if (!isBroken(text)) expectSame(text);
    },
  );

  const BROKEN = [entry(`"id":1,${DERIVED}5`), entry(`"id":1,${DERIVED},`)];

  test.each(BROKEN)("a derived member is left out where it alone is broken: %s", (text) => {
    const parsed = parseWithoutDerived(text);
    expect(() => members(parsed?.derived ?? "")).toThrow(SyntaxError);
  });

  test.each([
    entry(`"id":01,${DERIVED}`),
    entry(`"k":"insertedAt":1,${DERIVED}`),
    entry(`"id":1,${DERIVED}`).slice(0, -1),
    `${entry(`"id":1,${DERIVED}`)}x`,
  ])("a derived member is not left out of a broken entry: %s", (text) => {
    expect(parseWithoutDerived(text)).toBeUndefined();
  });
});

function isBroken(text: string): boolean {
  try {
    parseJson(text);
    return false;
  } catch {
    return true;
  }
}
