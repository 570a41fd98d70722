import { expect, test } from "vitest";
import { parseCursor, startOf, tagOf, toCursor } from "#modules/ledger/live/log-cursor.ts";

const tag = tagOf("0f0e0d0c-0000-7000-8000-00009f3a1c2b");

test("the id of an event has the log entry and the end of the ledger's uuid", () => {
  expect(toCursor(123, tag)).toBe("123.9f3a1c2b");
  expect(parseCursor("123.9f3a1c2b")).toEqual({ logId: 123, tag });
  expect(parseCursor("-1")).toEqual({ logId: -1, tag: undefined });
});

test.each(["", "-2", "1.", "1.9F3A1C2B", "1.9f3a1c2b0", "1e3", " 1", "1".repeat(21), "NaN"])(
  "the text %j is no position",
  (text) => {
    expect(parseCursor(text)).toBeUndefined();
  },
);

test("a stream begins at its position, and at the end of the log where the position is none of the log", () => {
  const start = (text: string) => startOf(parseCursor(text), { head: 9, tag });
  expect(startOf(undefined, { head: 9, tag })).toEqual({ logId: 9, gap: undefined });
  expect(start("3")).toEqual({ logId: 3, gap: undefined });
  expect(start("9.9f3a1c2b")).toEqual({ logId: 9, gap: undefined });
  expect(start("10").logId).toBe(9);
  expect(start("10").gap).toContain("no entry 10");
  expect(start("99999999999999999999")).toMatchObject({ logId: 9 });
  expect(start("3.00000000").logId).toBe(9);
  expect(start("3.00000000").gap).toContain("another");
});
