import { describe, expect, test } from "vitest";
import { isOpaque, isStorageFull } from "#platform/storage-full.ts";

const because = (message: string, cause: unknown) => new Error(message, { cause });

describe("an error", () => {
  test.each([
    ["of an object", new Error("database or disk is full: SQLITE_FULL")],
    ["of SQLite in Node", Object.assign(new Error("database or disk is full"), { errcode: 13 })],
    ["of opening a file", Object.assign(new Error("disk I/O error"), { errcode: 4874 })],
    [
      "of D1, below what names the query",
      because("Failed query: insert", because("D1_ERROR: x", new Error("x: SQLITE_FULL"))),
    ],
    ["of a database at its limit", new Error("D1_ERROR: Exceeded maximum DB size")],
  ])("the error %s means that storage is full", (_where, error) => {
    expect(isStorageFull(error)).toBe(true);
  });

  test.each([
    ["of a disk that fails", Object.assign(new Error("disk I/O error"), { errcode: 10 })],
    [
      "that only shows what a client has sent",
      because("Failed query: insert\nparams: database or disk is full", new Error("D1_ERROR: no")),
    ],
    ["that is only a text", "database or disk is full"],
  ])("the error %s does not mean that storage is full", (_where, error) => {
    expect(isStorageFull(error)).toBe(false);
  });
});

test("an error of the platform without a reason is opaque", () => {
  const query = "Failed query: SELECT 1";
  expect(isOpaque(because(query, new Error("internal error; reference = x1")))).toBe(true);
  expect(isOpaque(because(query, new Error("D1_ERROR: internal error; reference = x1")))).toBe(
    true,
  );
  expect(isOpaque(new Error("an internal error was mentioned"))).toBe(false);
});
