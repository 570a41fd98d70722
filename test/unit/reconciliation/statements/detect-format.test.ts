import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  DETECTED_BYTES,
  detectFormat,
  STATEMENT_FORMATS,
} from "#modules/reconciliation/core/statements/index.ts";
import { fixturesOf, readAll } from "#test/support/reconciliation/statements.ts";

const detect = (text: string) => detectFormat(new TextEncoder().encode(text));

describe("detectFormat", () => {
  it.each(STATEMENT_FORMATS)("recognises every file of %s that can be read", async (format) => {
    const undetected: string[] = [];
    for (const { name, bytes, options } of fixturesOf(format)) {
      const { error } = await readAll(format, { bytes, options });
      const formats = detectFormat(bytes.subarray(0, DETECTED_BYTES));
      if (error === undefined && !formats.includes(format))
        undetected.push(`${name}: ${formats.join()}`);
    }
    expect(undetected).toEqual(UNDETECTED[format] ?? []);
  });

  it("names both messages of SWIFT when the beginning does not tell", () => {
    expect(detect(":20:A\n:25:DE1\n:28C:1/1\n")).toEqual(["mt940", "mt942"]);
  });

  it("names none for what it does not know", () => {
    for (const text of [
      "",
      "Dear customer, hello.",
      "<html></html>",
      `{"id":1}`,
      "a;b\n",
      "\0\0\0\0",
    ])
      expect(detect(text)).toEqual([]);
    expect(detectFormat(gzipSync(":20:A\n:25:DE1\n"))).toEqual([]);
  });
});

/** Files that are too short, or whose columns have other names, so that nobody may say what they are. */
const UNDETECTED: Partial<Record<string, readonly string[]>> = {
  csv: ["card-negated.csv: ", "only-a-header.csv: ", "utf-16.csv: "],
  "stripe-balance": ["balance-history.csv: csv"],
};
