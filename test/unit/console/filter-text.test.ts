import { describe, expect, test } from "vitest";
import { type FilterField, suggestionsFor, valuesIn } from "#console/parts/filters/filter-text.ts";

const FIELDS: readonly FilterField[] = [
  { id: "account", label: "Account", example: "users:42" },
  {
    id: "after",
    label: "From date",
    example: "2026-11-01",
    accepts: (text) => /^\d{4}/.test(text),
  },
  {
    id: "reverted",
    label: "Reverted",
    example: "true",
    choices: [
      { value: "true", label: "Yes" },
      { value: "false", label: "No" },
    ],
  },
];

const textsFor = (text: string): string[] => suggestionsFor(text, FIELDS).map(({ text }) => text);

describe("the suggestions of a filter", () => {
  test("a text without a colon suggests the fields that begin like it", () => {
    expect(textsFor("")).toEqual(["account:", "after:", "reverted:"]);
    expect(textsFor("A")).toEqual(["account:", "after:"]);
    expect(textsFor("from")).toEqual(["after:"]);
    expect(textsFor("nothing")).toEqual([]);
  });

  test("a value may have colons", () => {
    expect(suggestionsFor("account:users:42:main", FIELDS)).toMatchObject([
      { kind: "value", value: "users:42:main" },
    ]);
  });

  test("a value that the field does not accept is not suggested", () => {
    expect(textsFor("after:soon")).toEqual([]);
    expect(textsFor("after:2026-11-01")).toEqual(["after:2026-11-01"]);
  });

  test("a field with choices suggests only these, by value or label", () => {
    expect(textsFor("reverted:")).toEqual(["reverted:true", "reverted:false"]);
    expect(textsFor("reverted:n")).toEqual(["reverted:false"]);
    expect(textsFor("reverted:maybe")).toEqual([]);
  });
});

test("filters of a URL are the parameters that are fields", () => {
  const search = { account: "users:", open: "7", reverted: "" };
  expect(valuesIn(search, FIELDS)).toEqual({ account: "users:" });
});
