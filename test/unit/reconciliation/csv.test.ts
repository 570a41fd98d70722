import { expect, test } from "vitest";
import { toCsv } from "#modules/reconciliation/http/csv.ts";

test("texts that a spreadsheet would run get an apostrophe, and numbers none", () => {
  const texts = ["-1,234.56", "-7", "12.50", "-1+1", "=A1", "-", "+1", "@x"];
  const csv = toCsv(texts, { text: (text) => text, big: () => -(2n ** 64n) });
  const shown = ['"-1,234.56"', "-7", "12.50", "'-1+1", "'=A1", "'-", "'+1", "'@x"];
  const rows = shown.map((text) => `${text},-18446744073709551616\r\n`);
  expect(csv).toBe(`text,big\r\n${rows.join("")}`);
});
