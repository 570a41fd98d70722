import { describe, expect, test } from "vitest";
import { type CsvColumn, csvHeader, toCsv } from "#console/parts/csv/csv.ts";

interface Row {
  readonly amount?: bigint;
  readonly address: string;
}

const COLUMNS: readonly CsvColumn<Row>[] = [
  ["amount", ({ amount }) => amount],
  ["address", ({ address }) => address],
];

describe("a CSV file", () => {
  test("a row is a line, its integers are exact, and what is absent is empty", () => {
    const rows = [{ amount: 2n ** 70n, address: "world" }, { address: "bank" }];
    expect(csvHeader(COLUMNS) + toCsv(rows, COLUMNS)).toBe(
      `amount,address\r\n${2n ** 70n},world\r\n,bank\r\n`,
    );
  });

  test("separators, quotes and line ends stay inside their field", () => {
    expect(toCsv([{ address: 'a,"b"\nc' }], COLUMNS)).toBe(',"a,""b""\nc"\r\n');
  });

  test.each(["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1"])(
    "a text that a spreadsheet would run is marked as a text: %j",
    (address) => {
      expect(toCsv([{ address }], COLUMNS)).toBe(`,'${address}\r\n`);
    },
  );

  test.each(["-12.34", "42", "-7"])("a number stays a number: %s", (address) => {
    expect(toCsv([{ address }], COLUMNS)).toBe(`,${address}\r\n`);
  });
});
