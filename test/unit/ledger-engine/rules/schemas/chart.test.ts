import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ChartCheck } from "#ledger-engine/rules/schemas/chart-check.ts";
import {
  type Chart,
  decodeChart,
  defaultMetadataOf,
  renderChart,
  resolveAccount,
} from "#ledger-engine/rules/schemas/chart.ts";
import { CHART_DEPTH_MAX, CHART_SEGMENTS_MAX } from "#ledger-engine/rules/schemas/limits.ts";
import { parseJson } from "#platform/json.ts";
import { detailsOf, messageOf } from "#test/support/ledger-engine/schemas.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const chartOf = (text: string): Chart => decodeChart(parseJson(text));
const roundTrip = (text: string): unknown => renderChart(chartOf(text));

const BANK = chartOf(
  `{"world":{},"bank":{"$iban":{".pattern":"^[A-Z]{2}[0-9]+$",".metadata":{"kind":{"default":"external"},"free":{}},
    "fees":{},".self":{}},"main":{}},"users":{"$id":{"main":{},"savings":{".metadata":{"rate":{"default":"2"}}}}}}`,
);

/** The reason for which a chart forbids an address; undefined for an allowed address. */
const violationOf = (chart: Chart, address: string): string | undefined => {
  const resolution = resolveAccount(chart, address, { visits: 0 });
  return resolution.account === undefined ? resolution.violation.what : undefined;
};

describe("a chart is refused", () => {
  test.each([
    ["[]", "invalid schema: the chart of accounts must be an object"],
    [`"x"`, "invalid schema: the chart of accounts must be an object"],
    [`{"a b":{}}`, "invalid segment name: a b"],
    [`{"":{}}`, "invalid segment name: "],
    [`{"a:b":{}}`, "invalid segment name: a:b"],
    [`{".":{}}`, "invalid segment name: ."],
    [`{"$":{}}`, "invalid segment name: $"],
    [`{"é":{}}`, "invalid segment name: é"],
    [`{"a":{"b c":{}}}`, "invalid segment `a`: invalid segment name: b c"],
    [`{"$x":{}}`, "invalid key $x: root cannot have a variable segment"],
    [`{".self":{}}`, "invalid key .self: the root cannot be an account"],
    [`{".pattern":"x"}`, "invalid key .pattern: the root cannot be an account"],
    [`{".metadata":{}}`, "invalid key .metadata: the root cannot be an account"],
    [`{".other":1}`, "invalid key .other: the root cannot be an account"],
    [`{"a":{".pattern":"x"}}`, "cannot have a pattern on a fixed segment"],
    [
      `{"a":{"b":{".pattern":"x"}}}`,
      "invalid segment `a`: cannot have a pattern on a fixed segment",
    ],
    [`{"a":{"$b":{".pattern":5}}}`, "invalid segment `a`: pattern must be a string"],
    [`{"a":{"$b":{".pattern":null}}}`, "invalid segment `a`: pattern must be a string"],
    [
      `{"a":{"$b":{".pattern":"("}}}`,
      "invalid segment `a`: invalid pattern regex: error parsing regexp: missing closing ): `(`",
    ],
    [
      `{"a":{"$b":{},"$c":{}}}`,
      "invalid segment `a`: cannot have two variable segments with the same prefix",
    ],
    [`{"a":{".self":{"x":1}}}`, "invalid segment `a`: .self must be an empty object"],
    [`{"a":{".self":true}}`, "invalid segment `a`: .self must be an empty object"],
    [`{"a":{".self":null}}`, "invalid segment `a`: .self must be an empty object"],
    [`{"a":{".self":[]}}`, "invalid segment `a`: .self must be an empty object"],
    [
      `{"a":{"b":{},".metadata":{}}}`,
      "invalid segment `a`: cannot have .metadata on a non-account segment",
    ],
    [
      `{"a":{"$b":{},".rules":{}}}`,
      "invalid segment `a`: cannot have .rules on a non-account segment",
    ],
    [`{"a":{".rules":"x"}}`, "invalid segment `a`: invalid account rules: expected an object"],
    [
      `{"a":{".metadata":"x"}}`,
      "invalid segment `a`: invalid default metadata: expected an object",
    ],
    [
      `{"a":{".metadata":{"k":{"default":5}}}}`,
      "invalid segment `a`: invalid default metadata: expected an object with a text as `default`",
    ],
    [
      `{"a":{".metadata":{"k":"v"}}}`,
      "invalid segment `a`: invalid default metadata: expected an object with a text as `default`",
    ],
    [
      `{"a":{".metadata":{"k":[]}}}`,
      "invalid segment `a`: invalid default metadata: expected an object with a text as `default`",
    ],
    [`{"a":"x"}`, "invalid segment: expected an object"],
    [`{"a":[]}`, "invalid segment: expected an object"],
    [`{"a":{"b":5}}`, "invalid segment `a`: invalid address segment: expected an object"],
  ])("a chart is refused for %s", (text, message) => {
    expect(messageOf(() => chartOf(text))).toBe(message);
  });

  test("a chart is refused with the whole path to the mistake in the details", () => {
    const text = `{"a":{"$b":{"c":{".self":1}}}}`;
    expect(messageOf(() => chartOf(text))).toBe(
      "invalid segment `a`: .self must be an empty object",
    );
    expect(detailsOf(() => chartOf(text))).toBe("chart.a.$b.c");
    expect(detailsOf(() => chartOf(`{"a":{"b":{".pattern":"x"}}}`))).toBe("chart.a.b");
  });
});

describe("a chart is shown", () => {
  test.each([
    [`null`, `{}`],
    [`{}`, `{}`],
    [`{"a":null}`, `{"a":{}}`],
    [`{"a":{".self":{}}}`, `{"a":{}}`],
    [`{"a":{".self":{},"b":{}}}`, `{"a":{".self":{},"b":{}}}`],
    [`{"a":{".unknown":1,".rules":{"x":1}}}`, `{"a":{}}`],
    [`{"a":{".rules":null,".metadata":null}}`, `{"a":{}}`],
    [`{"a":{".metadata":{}}}`, `{"a":{".metadata":{}}}`],
    [
      `{"a":{".metadata":{"k":null,"l":{"default":null},"m":{"default":"","x":1}}}}`,
      `{"a":{".metadata":{"k":{},"l":{},"m":{"default":""}}}}`,
    ],
    [`{"a":{"$b":{".pattern":""}}}`, `{"a":{"$b":{".pattern":""}}}`],
    [
      `{"a":{"$b":{".pattern":"^x","c":{}},"b":{}}}`,
      `{"a":{"$b":{".pattern":"^x","c":{}},"b":{}}}`,
    ],
    [
      `{"__proto__":{"__proto__":{}},"constructor":{".metadata":{"__proto__":{"default":"v"}}}}`,
      `{"__proto__":{"__proto__":{}},"constructor":{".metadata":{"__proto__":{"default":"v"}}}}`,
    ],
  ])("a chart of %s is shown as %s", (text, shown) => {
    expect(roundTrip(text)).toEqual(JSON.parse(shown));
  });
});

describe("an address", () => {
  test.each([
    ["world"],
    ["bank:FR76"],
    ["bank:FR76:fees"],
    ["bank:main"],
    ["users:1:main"],
    ["users:anything-goes_1:savings"],
  ])("the address %s is an account of the chart", (address) => {
    expect(violationOf(BANK, address)).toBeUndefined();
  });

  test.each([
    ["free", "account `free` is not defined in the chart of accounts"],
    ["bank", "account `bank` is not defined in the chart of accounts"],
    ["nowhere:at:all", "account starting with `nowhere` is not defined in the chart of accounts"],
    [
      "bank:bad",
      "segment `bad` defined by the chart of accounts at `bank` does not match the pattern",
    ],
    ["bank:FR76:other", "segment `other` is not allowed by the chart of accounts at `bank:FR76`"],
    ["users:1", "segment `1` is not allowed by the chart of accounts at `users`"],
    ["world:x", "segment `x` is not allowed by the chart of accounts at `world`"],
    [
      "users:1:main:deep",
      "segment `deep` is not allowed by the chart of accounts at `users:1:main`",
    ],
    ["constructor", "account `constructor` is not defined in the chart of accounts"],
    ["__proto__:x", "account starting with `__proto__` is not defined in the chart of accounts"],
  ])("the address %s is not an account of the chart", (address, violation) => {
    expect(violationOf(BANK, address)).toBe(violation);
  });

  test("an address in a chart takes the fixed segment if there is one, and does not try the variable one then", () => {
    const chart = chartOf(`{"a":{"b":{"x":{}},"$any":{"y":{}}}}`);
    expect(violationOf(chart, "a:b:x")).toBeUndefined();
    expect(violationOf(chart, "a:c:y")).toBeUndefined();
    expect(violationOf(chart, "a:b:y")).toBe(
      "segment `y` is not allowed by the chart of accounts at `a:b`",
    );
  });

  test("an address in a chart needs no exception for the world: a chart that lacks it forbids it", () => {
    expect(violationOf(chartOf(`{"a":{}}`), "world")).toBe(
      "account `world` is not defined in the chart of accounts",
    );
  });

  test("an address in a chart may have segments with the names of inherited properties", () => {
    const chart = chartOf(`{"__proto__":{"$x":{}},"toString":{}}`);
    expect(violationOf(chart, "__proto__:__proto__")).toBeUndefined();
    expect(violationOf(chart, "toString")).toBeUndefined();
    expect(violationOf(chart, "valueOf")).toContain("is not defined");
  });
});

describe("the metadata of a new account", () => {
  const metadataOf = (chart: Chart, address: string) =>
    new ChartCheck(chart).defaultMetadata(address);

  test("the metadata of a new account is that of the defaults, where there is one", () => {
    expect(metadataOf(BANK, "bank:FR76")).toEqual({ kind: "external" });
    expect(metadataOf(BANK, "users:1:savings")).toEqual({ rate: "2" });
  });

  test("the metadata of a new account is empty for other accounts, and for addresses that the chart does not have", () => {
    expect(metadataOf(BANK, "world")).toEqual({});
    expect(metadataOf(BANK, "bank:bad")).toEqual({});
    expect(metadataOf(BANK, "nowhere")).toEqual({});
  });

  test("the metadata of a new account keeps empty texts and keys of any name", () => {
    const chart = chartOf(`{"a":{".metadata":{"__proto__":{"default":""},"10":{"default":"x"}}}}`);
    const metadata = metadataOf(chart, "a");
    expect(Object.entries(metadata)).toEqual([
      ["10", "x"],
      ["__proto__", ""],
    ]);
    const [account] = chart.fixed.values();
    expect(account && defaultMetadataOf(account)).toEqual(metadata);
  });
});

describe("a chart above a limit is refused", () => {
  const nested = (depth: number): string => `${`{"a":`.repeat(depth)}{}${"}".repeat(depth)}`;

  test("a chart that is nested deeper than addresses are long is refused", () => {
    expect(messageOf(() => chartOf(nested(CHART_DEPTH_MAX)))).toBeUndefined();
    expect(messageOf(() => chartOf(nested(CHART_DEPTH_MAX + 1)))).toContain("nested deeper than");
    expect(() => chartOf(nested(3000))).toThrow("nested deeper than");
  });

  test("a chart that has too many segments is refused", () => {
    const wide = (count: number): string =>
      `{${Array.from({ length: count }, (_, index) => `"a${index}":{}`).join(",")}}`;
    expect(messageOf(() => chartOf(wide(CHART_SEGMENTS_MAX)))).toBeUndefined();
    expect(messageOf(() => chartOf(wide(CHART_SEGMENTS_MAX + 1)))).toBe(
      "invalid schema: the chart has more than 10000 segments",
    );
  });

  test("a chart whose patterns are too large together is refused", () => {
    const many = (count: number): string =>
      `{${Array.from({ length: count }, (_, index) => `"a${index}":{"$b":{".pattern":"x{250}y{250}"}}`).join(",")}}`;
    const tooLarge = "invalid schema: the patterns of the chart are too large together";
    expect(messageOf(() => chartOf(many(39)))).toBeUndefined();
    expect(messageOf(() => chartOf(many(40)))).toBe(tooLarge);
    const classes = `[${String.raw`\\pL`.repeat(240)}]`;
    const slow = Array.from(
      { length: 200 },
      (_, at) => `"a${at}":{"$b":{".pattern":"${classes}"}}`,
    );
    expect(messageOf(() => chartOf(`{${slow.join(",")}}`))).toBe(tooLarge);
  });

  test("a chart whose default metadata are too large for one account is refused", () => {
    const chart = (length: number): string =>
      JSON.stringify({ a: { ".metadata": { k: { default: "v".repeat(length) } } } });
    expect(messageOf(() => chartOf(chart(8000)))).toBeUndefined();
    expect(messageOf(() => chartOf(chart(8192)))).toBe(
      "invalid segment `a`: invalid default metadata: more than 8192 bytes",
    );
  });

  test("a chart above a limit is refused with a message that does not repeat a name that is too long", () => {
    const name = `${"a".repeat(100_000)} `;
    const message = messageOf(() => chartOf(JSON.stringify({ [name]: {} }))) ?? "";
    expect(message).toMatch(/^invalid segment name: a+…$/);
    expect(message.length).toBeLessThan(300);
  });
});

test("charts of any JSON are decoded or refused, and what is shown of them decodes to the same chart", () => {
  const key = fc.oneof(
    fc.constantFrom("a", "b", "world", "$id", "$x", ".self", ".pattern", ".metadata", ".rules"),
    fc.constantFrom("__proto__", "constructor", "10", "9", ".x", "a b"),
  );
  const { node } = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom({}, null, "^x", "(", true, 5, []),
      fc
        .array(fc.tuple(key, tie("node")), { maxLength: 4 })
        .map((entries) => Object.fromEntries(entries) as unknown),
    ),
  }));
  fc.assert(
    fc.property(node, (value) => {
      let chart: Chart | undefined;
      const refusal = messageOf(() => {
        chart = decodeChart(value);
      });
      if (chart === undefined) {
        expect(refusal).not.toBe("");
        return;
      }
      const shown = renderChart(chart);
      expect(renderChart(decodeChart(shown))).toEqual(shown);
    }),
    { numRuns: runsOf(1000) },
  );
});
