import { describe, expect, test } from "vitest";
import {
  ADDRESS_LENGTH_MAX,
  isAddress,
  isAsset,
  isBucketName,
  isLedgerName,
  parseAccount,
  parseAsset,
} from "#ledger-engine/rules/names.ts";

const NAMES = ["a", "A-z_09", "x".repeat(63), "-", "0", "__"];
const NO_NAMES = ["", "x".repeat(64), "a b", "a:b", "a.b", "é", "a/b", String.raw`a\b`, "a\n"];

describe("ledger names", () => {
  test.each(NAMES)("the ledger name %s is valid", (name) => expect(isLedgerName(name)).toBe(true));
  test.each([...NO_NAMES, "_", "_info", "_healthcheck"])("the ledger name %j is invalid", (name) =>
    expect(isLedgerName(name)).toBe(false),
  );
});

describe("bucket names", () => {
  test.each([...NAMES, "_", "_default", "_info"])("the bucket name %s is valid", (name) =>
    expect(isBucketName(name)).toBe(true),
  );
  test.each(NO_NAMES)("the bucket name %j is invalid", (name) =>
    expect(isBucketName(name)).toBe(false),
  );
});

describe("addresses", () => {
  test.each(["world", "users:1:main", "A-b_9", "__proto__", "1", "a".repeat(ADDRESS_LENGTH_MAX)])(
    "the address %s is valid",
    (address) => expect(isAddress(address)).toBe(true),
  );
  test.each([
    "",
    ":",
    "a:",
    ":a",
    "a::b",
    "a b",
    "@a",
    "é",
    "a\n",
    "a.b",
    "a/b",
    "a".repeat(ADDRESS_LENGTH_MAX + 1),
  ])("the address %j is invalid", (address) => expect(isAddress(address)).toBe(false));

  test("a refusal of an address names it, or the beginning of a long one", () => {
    expect(() => parseAccount("a b", "source")).toThrow("invalid source address 'a b'");
    expect(() => parseAccount(" ".repeat(2000), "source")).toThrow(
      `invalid source address '${" ".repeat(80)}…'`,
    );
  });
});

describe("assets", () => {
  test.each([
    "U",
    "USD",
    "USD/2",
    "USD/0",
    "EUR/00",
    "EUR/123456",
    "EUR_COL/12",
    "EUR_COL",
    "B1",
    `A${"0".repeat(16)}_${"Z".repeat(16)}/6`,
  ])("the asset %s is valid", (asset) => expect(isAsset(asset)).toBe(true));
  test.each([
    "",
    "usd",
    "1USD",
    "USD/",
    "USD/1234567",
    "USD/a",
    "EUR_",
    "EUR_C1",
    "EUR_COL_X",
    "U-D",
    "USD/2 ",
    "USD\n",
    `A${"0".repeat(17)}`,
    `A_${"Z".repeat(17)}`,
  ])("the asset %j is invalid", (asset) => expect(isAsset(asset)).toBe(false));

  test("a refusal of an asset names it", () => {
    expect(() => parseAsset("usd")).toThrow("invalid asset 'usd'");
  });
});
