import * as fc from "fast-check";
import { COMPARISONS, type FilteredResource, filterOf, KEYS, type Vocabulary } from "./filters.ts";
import type { FilterJson } from "./naive-filter.ts";

/** A filter that every read of a resource refuses, with the key that the refusal names. */
export interface MalformedFilter {
  readonly resource: FilteredResource;
  readonly where: FilterJson;
  readonly key: string;
}

/** Filters that are well-formed except for one of their tests. */
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
      const wrong = { [operator]: { [key]: value } };
      switch (place) {
        case "and":
          return { resource, key, where: { $and: [good, wrong] } };
        case "or":
          return { resource, key, where: { $or: [{ $and: [] }, { $not: wrong }] } };
        case "not":
          return { resource, key, where: { $not: { $not: wrong } } };
        default:
          return { resource, key, where: wrong };
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

/** Keys of other resources, other spellings, and brackets where none belong. */
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

/** Values of wrong types, and operators that the type of the key does not take. */
function badTestsOf([key, type]: [string, string]): BadTest[] {
  const bad = (operators: readonly string[], values: readonly unknown[], name = key): BadTest[] =>
    operators.flatMap((operator) => values.map((value) => ({ operator, key: name, value })));
  const DECIMAL = 1.5;
  const RELATIONS = COMPARISONS.slice(1);
  switch (type) {
    case "number":
      return [
        ...bad(COMPARISONS, ["1", "x", true, DECIMAL, null, ["1"]]),
        ...bad(["$like", "$exists"], [1n, "1"]),
        ...bad(["$in"], [[1n, 2n], ["1"]]),
      ];
    case "date":
      return [
        ...bad(COMPARISONS, ["now", "2026-03-01", "2026-03-01T10:00:00", "2026-02-30T10:00:00Z"]),
        ...bad(COMPARISONS, ["", 12n, true, null]),
        ...bad(["$like", "$exists"], ["2026-03-01T10:00:00Z"]),
        ...bad(["$in"], [["2026-03-01T10:00:00Z"]]),
      ];
    case "boolean":
      return [
        ...bad(["$match"], ["yes", "true", 1n, null]),
        ...bad([...RELATIONS, "$like", "$exists"], [true]),
        ...bad(["$in"], [[true]]),
      ];
    case "text":
      return [
        ...bad(["$match", "$like"], [5n, true, null, ["x"]]),
        ...bad([...RELATIONS, "$exists"], ["x"]),
        ...bad(["$in"], ["x", [1n], ["x", true]]),
        ...(key === "type" ? bad(["$match"], ["NOPE", ""]) : []),
        ...(key === "type" ? bad(["$in"], [["NEW_TRANSACTION", "NOPE"]]) : []),
      ];
    case "address":
      return [
        ...bad(["$match", "$like"], [5n, true, null, ["a"]]),
        ...bad([...RELATIONS, "$exists"], ["a"]),
        ...bad(["$in"], ["a", [1n], ["users:"], ["a", ":main"], ["users:..."], ["..."], [""]]),
      ];
    case "metadata":
      return [
        ...bad(["$match", "$like"], [5n, true, null, ["a"]], "metadata[k]"),
        ...bad(RELATIONS, ["a", 1n], "metadata[k]"),
        ...bad(["$exists"], ["k", 1n, null], "metadata[k]"),
        ...bad(["$in"], ["a", [1n]], "metadata[k]"),
        ...bad(["$match", "$exists"], [5n, true, null]),
        ...bad([...RELATIONS, "$like"], ["k"]),
        ...bad(["$in"], [["k"]]),
        ...bad(["$match"], ["k"], "metadata[]"),
      ];
    default:
      return ["balance", "balance[USD]"].flatMap((name) => [
        ...bad(COMPARISONS, ["75", true, DECIMAL, null], name),
        ...bad(["$like"], ["7%", 1n], name),
        ...bad(["$in"], [[1n]], name),
        ...bad(["$exists"], [5n, null, name === "balance" ? true : "x"], name),
      ]);
  }
}
