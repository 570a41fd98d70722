import { describe, expect, test } from "vitest";
import { ChartCheck, checkAgainstChart } from "#ledger-engine/rules/schemas/chart-check.ts";
import { decodeChart } from "#ledger-engine/rules/schemas/chart.ts";
import { schemaViolation } from "#ledger-engine/rules/schemas/failures.ts";
import { parseJson } from "#platform/json.ts";
import { posting } from "#test/support/ledger-engine/fixtures.ts";
import {
  messageOf,
  recordedRequests,
  recordedSchema,
} from "#test/support/ledger-engine/schemas.ts";

interface Body {
  readonly postings?: readonly { readonly source: string; readonly destination: string }[];
}

describe("postings of the recorded requests", () => {
  const requests = recordedRequests("transaction").filter(
    ({ scenario }) => scenario === "schema-strict-mode",
  );

  test.each(requests)("$body under $version are judged as by the reference server", (request) => {
    const { chart } = recordedSchema(request.scenario, request.version);
    const { postings = [] } = parseJson(request.body) as Body;
    const violation = checkAgainstChart(
      chart,
      postings.map(({ source, destination }) => posting(`${source} -> ${destination}`, 1)),
    );
    const error = violation === undefined ? undefined : schemaViolation(request.version, violation);
    const prefix = "unexpected error while forging log: ";
    expect(error?.message).toBe(request.message?.replace(prefix, ""));
  });

  test("postings of the recorded requests include accepted and refused ones", () => {
    expect(new Set(requests.map(({ status }) => status))).toEqual(new Set([200, 400]));
  });
});

describe("a check of postings", () => {
  const chart = decodeChart(parseJson(`{"a":{},"b":{},"u":{"$id":{".pattern":"^[0-9]+$"}}}`));

  test("a check of postings reports the first violation, sources before destinations", () => {
    const first = checkAgainstChart(chart, [
      posting("a -> b", 1),
      posting("x -> y", 1),
      posting("z -> b", 1),
    ]);
    expect(first).toContain("`x`");
    expect(checkAgainstChart(chart, [posting("a -> y", 1), posting("x -> a", 1)])).toContain("`y`");
    expect(checkAgainstChart(chart, [])).toBeUndefined();
  });

  test("a check of postings looks at each address once", () => {
    const one = new ChartCheck(chart);
    one.findViolation([posting("a -> u:123456", 1)]);
    const many = new ChartCheck(chart);
    many.findViolation(Array.from({ length: 1000 }, () => posting("a -> u:123456", 1)));
    expect(many.defaultMetadata("u:123456")).toEqual({});
    expect(many.steps).toBe(one.steps);
    expect(one.steps).toBeGreaterThan(0);
  });

  test("a check of postings counts no work for charts without patterns", () => {
    const check = new ChartCheck(decodeChart({ a: { $b: {} } }));
    check.findViolation([posting("a:x -> a:y", 1)]);
    expect(check.steps).toBe(0);
  });

  test("a check of postings refuses a transaction whose patterns would block the ledger", () => {
    const hostile = decodeChart({
      a: { $b: { ".pattern": "(?:[a-z0-9]?){250}(?:[a-z]?){240}_" } },
    });
    const address = (index: number): string => `a:${index}${"a".repeat(240)}`;
    const postings = Array.from({ length: 5000 }, (_, index) =>
      posting(`${address(index)} -> ${address(index + 5000)}`, 1),
    );
    const ordinary = decodeChart({ a: { $b: { ".pattern": "^[a-z0-9]{1,250}$" } } });
    expect(messageOf(() => checkAgainstChart(ordinary, postings.slice(0, 500)))).toBeUndefined();
    expect(messageOf(() => checkAgainstChart(hostile, postings.slice(0, 2)))).toBeUndefined();
    expect(messageOf(() => passing(hostile, postings))).toBe(
      "the patterns of the chart of accounts take too much work for one transaction",
    );
  });

  /** Looks up all addresses of postings, because `findViolation` would stop at the first violation. */
  function passing(chart: ReturnType<typeof decodeChart>, postings: ReturnType<typeof posting>[]) {
    const check = new ChartCheck(chart);
    for (const { source } of postings) check.defaultMetadata(source);
  }
});
