import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "#platform/errors.ts";
import {
  FILTER_DEPTH_MAX,
  FILTER_LENGTH_MAX,
  FILTER_NODES_MAX,
  FILTER_VALUES_MAX,
  parseFilter,
  parseFilterText,
} from "#platform/filter/filter.ts";
import { attempt } from "#platform/result.ts";

describe("a filter", () => {
  test.each([
    [
      '{"$match":{"account":"shops:42"}}',
      { kind: "test", operator: "$match", key: "account", value: "shops:42" },
    ],
    [
      '{"$gte":{"balance[USD/2]":123456789012345678901234567890}}',
      {
        kind: "test",
        operator: "$gte",
        key: "balance[USD/2]",
        value: 123456789012345678901234567890n,
      },
    ],
    ['{"$in":{"id":[1,2]}}', { kind: "test", operator: "$in", key: "id", value: [1, 2] }],
    [
      '{"$exists":{"metadata":"k"}}',
      { kind: "test", operator: "$exists", key: "metadata", value: "k" },
    ],
    [
      '{"$not":{"$match":{"reverted":true}}}',
      {
        kind: "not",
        filter: { kind: "test", operator: "$match", key: "reverted", value: true },
      },
    ],
    [
      '{"$and":[{"$lt":{"id":5}},{"$or":[{"$lte":{"id":1}},{"$gt":{"id":3}}]}]}',
      {
        kind: "all",
        filters: [
          { kind: "test", operator: "$lt", key: "id", value: 5 },
          {
            kind: "any",
            filters: [
              { kind: "test", operator: "$lte", key: "id", value: 1 },
              { kind: "test", operator: "$gt", key: "id", value: 3 },
            ],
          },
        ],
      },
    ],
    [
      '{"$match":{"__proto__":"x"}}',
      { kind: "test", operator: "$match", key: "__proto__", value: "x" },
    ],
  ])("the filter %s is a tree", (text, tree) => {
    expect(parseFilterText(text)).toEqual(tree);
  });

  test.each(["", "  ", "null", "{}", '{"$and":[]}', '{"$or":[]}'])(
    "the query %j is no filter",
    (text) => {
      expect(parseFilterText(text)).toBeUndefined();
    },
  );

  test("a filter may be absent", () => {
    expect(parseFilter(undefined)).toBeUndefined();
  });

  test.each([
    ["{", "not valid JSON"],
    ["[]", "must be an object"],
    ['"x"', "must be an object"],
    ["1.5", "must be an object"],
    ['{"$match":{"a":1},"$lt":{"a":1}}', "found more than one"],
    ['{"$match":{"a":1,"b":2}}', "found more than one"],
    ['{"$match":{}}', "found none"],
    ['{"$match":"a"}', "must be an object"],
    ['{"$match":null}', "must be an object"],
    ['{"$x":{"a":1}}', "unexpected operator $x"],
    ['{"match":{"a":1}}', "unexpected operator match"],
    ['{"$and":{}}', "$and takes a list"],
    ['{"$and":[{}]}', "found none"],
    ['{"$not":[]}', "must be an object"],
    ['{"$in":{"a":1}}', "$in takes a list"],
    ['{"$in":{"a":[[1]]}}', "must be a text, an integer or a boolean"],
    ['{"$match":{"a":[1]}}', "must be a text, an integer or a boolean"],
    ['{"$match":{"a":null}}', "must be a text, an integer or a boolean"],
    ['{"$match":{"a":1.0}}', "1.0 for 'a' is not an integer"],
    ['{"$match":{"a":1e3}}', "1e3 for 'a' is not an integer"],
  ])("the filter %s is refused", (text, message) => {
    expect(() => parseFilterText(text)).toThrow(message);
    expect(() => parseFilterText(text)).toThrow(AppError);
  });

  test("a filter has limits: its length, its depth, its operators, its values", () => {
    const one = '{"$match":{"a":1}}';
    const nested = (depth: number) => `${'{"$not":'.repeat(depth)}${one}${"}".repeat(depth)}`;
    const wide = (count: number) => `{"$or":[${Array.from({ length: count }, () => one).join()}]}`;
    const values = (count: number) =>
      `{"$in":{"a":[${Array.from({ length: count }, () => 1).join()}]}}`;
    expect(parseFilterText(nested(FILTER_DEPTH_MAX - 1))).toMatchObject({ kind: "not" });
    expect(() => parseFilterText(nested(FILTER_DEPTH_MAX))).toThrow("nested deeper");
    expect(parseFilterText(wide(FILTER_NODES_MAX - 1))).toMatchObject({ kind: "any" });
    expect(() => parseFilterText(wide(FILTER_NODES_MAX))).toThrow("more than 1000 operators");
    expect(parseFilterText(values(FILTER_VALUES_MAX))).toMatchObject({ operator: "$in" });
    expect(() => parseFilterText(values(FILTER_VALUES_MAX + 1))).toThrow("more than 1000 values");
    expect(() => parseFilterText(`"${"x".repeat(FILTER_LENGTH_MAX)}"`)).toThrow("longer than");
  });

  test("a filter of any kind is parsed or refused, and nothing else happens", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        const parsed = attempt(() => parseFilterText(text));
        expect(parsed.ok || parsed.failure.kind === "VALIDATION").toBe(true);
      }),
    );
  });
});
