import * as fc from "fast-check";
import {
  COMPARISONS,
  type FilteredResource,
  filterOf,
  KEYS,
  type Vocabulary,
} from "./ledger-filters.ts";
import type { FilterJson } from "./naive-filter.ts";

/** A filter that every read of a resource refuses, with the key that the refusal names. */
export interface MalformedFilter {
  readonly resource: FilteredResource;
  readonly where: FilterJson;
  readonly key: string;
}

/** Well-formed filters with one test in them that is not. */
export function malformedFilter(
  resource: FilteredResource,
  words: Vocabulary,
): fc.Arbitrary<MalformedFilter> {
  const good = filterOf(resource, words);
  return fc
    .tuple(
      fc.constantFrom(...badTests(resource)),
      fc.constantFrom("as it is", "and", "or", "not"),
      good,
    )
    .map(([{ operator, key, value }, place, good]) => {
      const bad = { [operator]: { [key]: value } };
      switch (place) {
        case "and":
          return { resource, key, where: { $and: [good, bad] } };
        case "or":
          return { resource, key, where: { $or: [{ $and: [] }, { $not: bad }] } };
        case "not":
          return { resource, key, where: { $not: { $not: bad } } };
        default:
          return { resource, key, where: bad };
      }
    });
}

interface BadTest {
  readonly operator: string;
  readonly key: string;
  readonly value: unknown;
}

function badTests(resource: FilteredResource): BadTest[] {
  return [...unknownKeys(resource), ...Object.entries(KEYS[resource]).flatMap(badTestsOf)];
}

function unknownKeys(resource: FilteredResource): BadTest[] {
  const others = Object.values(KEYS).flatMap((keys) => Object.keys(keys));
  const brackets = Object.entries(KEYS[resource])
    .filter(([, type]) => type !== "metadata" && type !== "balance")
    .map(([key]) => `${key}[k]`);
  const odd = [
    "nope",
    "insertedAt",
    "firstUsage",
    "__proto__",
    "constructor",
    "metadata[",
    "",
    "$and",
  ];
  const unknown = [...others, ...odd].filter((key) => !Object.hasOwn(KEYS[resource], key));
  return [...unknown, ...brackets].flatMap((key) =>
    [1n, "x", "2026-03-01T10:00:00Z", true].map((value) => ({ operator: "$match", key, value })),
  );
}

function badTestsOf([key, type]: [string, string]): BadTest[] {
  const with_ = (operators: readonly string[], values: readonly unknown[], name = key): BadTest[] =>
    operators.flatMap((operator) => values.map((value) => ({ operator, key: name, value })));
  const DECIMAL = 1.5;
  const RELATIONS = COMPARISONS.slice(1);
  switch (type) {
    case "number":
      return [
        ...with_(COMPARISONS, ["1", "x", true, DECIMAL, null, ["1"]]),
        ...with_(["$like", "$exists"], [1n, "1"]),
        ...with_(["$in"], [[1n, 2n], ["1"]]),
      ];
    case "date":
      return [
        ...with_(COMPARISONS, ["now", "2026-03-01", "2026-03-01T10:00:00", "2026-02-30T10:00:00Z"]),
        ...with_(COMPARISONS, ["", 12n, true, null]),
        ...with_(["$like", "$exists"], ["2026-03-01T10:00:00Z"]),
        ...with_(["$in"], [["2026-03-01T10:00:00Z"]]),
      ];
    case "boolean":
      return [
        ...with_(["$match"], ["yes", "true", 1n, null]),
        ...with_([...RELATIONS, "$like", "$exists"], [true]),
        ...with_(["$in"], [[true]]),
      ];
    case "text":
      return [
        ...with_(["$match", "$like"], [5n, true, null, ["x"]]),
        ...with_([...RELATIONS, "$exists"], ["x"]),
        ...with_(["$in"], ["x", [1n], ["x", true]]),
        ...(key === "type" ? with_(["$match"], ["NOPE", ""]) : []),
        ...(key === "type" ? with_(["$in"], [["NEW_TRANSACTION", "NOPE"]]) : []),
      ];
    case "address":
      return [
        ...with_(["$match", "$like"], [5n, true, null, ["a"]]),
        ...with_([...RELATIONS, "$exists"], ["a"]),
        ...with_(["$in"], ["a", [1n], ["users:"], ["a", ":main"], ["users:..."], ["..."], [""]]),
      ];
    case "metadata":
      return [
        ...with_(["$match", "$like"], [5n, true, null, ["a"]], "metadata[k]"),
        ...with_(RELATIONS, ["a", 1n], "metadata[k]"),
        ...with_(["$exists"], ["k", 1n, null], "metadata[k]"),
        ...with_(["$in"], ["a", [1n]], "metadata[k]"),
        ...with_(["$match", "$exists"], [5n, true, null]),
        ...with_([...RELATIONS, "$like"], ["k"]),
        ...with_(["$in"], [["k"]]),
        ...with_(["$match"], ["k"], "metadata[]"),
      ];
    default:
      return ["balance", "balance[USD]"].flatMap((name) => [
        ...with_(COMPARISONS, ["75", true, DECIMAL, null], name),
        ...with_(["$like"], ["7%", 1n], name),
        ...with_(["$in"], [[1n]], name),
        ...with_(["$exists"], [5n, null, name === "balance" ? true : "x"], name),
      ]);
  }
}
