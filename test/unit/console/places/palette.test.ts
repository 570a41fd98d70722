import { describe, expect, test } from "vitest";
import { amountsIn } from "#console/palette/amounts.ts";
import { pathOf } from "#console/palette/hits.ts";
import { objectAt, withOpened } from "#console/palette/recent.ts";
import { actionOf } from "#console/parts/keys/keys.ts";

describe("amounts that are searched", () => {
  test.each([
    ["12.34", [1234n]],
    ["€1,234.50", [123_450n]],
    ["1.234,50 €", [123_450n]],
    ["99 EUR", [99n, 9900n]],
    ["order-12", []],
    ["12-34", []],
    ["", []],
  ])("%s", (text, amounts) => {
    expect(amountsIn(text)).toEqual(amounts);
  });
});

describe("objects that were opened", () => {
  test("the path of an object's page names the object", () => {
    expect(objectAt("/ledgers/main/accounts/users%3A1")).toEqual({
      path: "/ledgers/main/accounts/users%3A1",
      title: "users:1",
      note: "main",
    });
    expect(objectAt("/ledgers/main/overview")).toEqual({ path: "/ledgers/main", title: "main" });
    expect(objectAt("/workflows/instances")).toBeUndefined();
    expect(objectAt("/wallets/%E0%A4%A")).toBeUndefined();
  });

  test("an object that is opened again comes first, under its best title", () => {
    const known = { path: "/wallets/1", title: "Ann's wallet" };
    const other = { path: "/wallets/2", title: "2" };
    expect(withOpened([other, known], { path: "/wallets/1", title: "1" })).toEqual([known, other]);
  });

  test("an object that is opened is called as its page calls it", () => {
    const known = { path: "/wallets/1", title: "1" };
    const other = { path: "/wallets/2", title: "2" };
    expect(withOpened([other, known], known, "Ann's wallet")).toEqual([
      { path: "/wallets/1", title: "Ann's wallet" },
      other,
    ]);
  });

  test("texts of others stay one segment of a path", () => {
    expect(pathOf`/wallets/${"a/../b?c#d"}`).toBe("/wallets/a%2F..%2Fb%3Fc%23d");
  });
});

describe("keys of every page", () => {
  const stroke = { key: "g", hasControl: false, isTyping: false, isCovered: false };

  test("g and a letter go to a place", () => {
    expect(actionOf(stroke, false)).toEqual({ kind: "begin" });
    expect(actionOf({ ...stroke, key: "l" }, true)).toEqual({ kind: "go", letter: "l" });
    expect(actionOf({ ...stroke, key: "l" }, false)).toBeUndefined();
  });

  test("while somebody types, only the key of the search acts; under a window, none", () => {
    for (const key of ["g", "?", "/"])
      expect(actionOf({ ...stroke, key, isTyping: true }, false)).toBeUndefined();
    const find = { ...stroke, key: "k", hasControl: true };
    expect(actionOf({ ...find, isTyping: true }, false)).toEqual({ kind: "find" });
    expect(actionOf({ ...find, isCovered: true }, false)).toBeUndefined();
  });
});
