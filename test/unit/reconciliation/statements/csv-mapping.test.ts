import { describe, expect, it } from "vitest";
import { type CsvMapping, readStatement } from "#modules/reconciliation/core/statements/index.ts";
import { chunked, DECIMALS, readAll } from "#test/support/reconciliation/statements.ts";

const MAPPING: CsvMapping = {
  delimiter: ";",
  dateFormat: "DD.MM.YYYY",
  decimalSign: ",",
  asset: "EUR",
  amount: { by: "amount", amount: "Amount" },
  columns: { date: "Date" },
};

async function read(text: string, mapping: Partial<CsvMapping> = {}) {
  const bytes = new TextEncoder().encode(text);
  const options = { ...DECIMALS, mapping: { ...MAPPING, ...mapping } };
  const { error, events } = await readAll("csv", { bytes, options });
  if (error !== undefined) return `${error.kind} ${error.line}:${error.column}`;
  return events.flatMap((event) =>
    event.type === "line" ? [[event.line.date, event.line.amount]] : [],
  );
}

describe("a mapping of a CSV file", () => {
  it.each<[string, Partial<CsvMapping>]>([
    ["two delimiters", { delimiter: ";;" }],
    ["a letter as delimiter", { delimiter: "x" }],
    ["a quote that is the delimiter", { quote: ";" }],
    ["the same sign for decimals and thousands", { thousandsSign: "," }],
    ["a form of dates without year", { dateFormat: "DD.MM." }],
    ["a form of dates with a letter", { dateFormat: "DDxMM.YYYY" }],
    ["a form of dates with two days", { dateFormat: "DD.MM.YYYY DD" }],
    ["months that are not twelve", { months: ["jan"] }],
    ["no asset at all", { asset: undefined as unknown as string }],
    ["an asset and a column of currencies", { columns: { date: "Date", currency: "Amount" } }],
    ["an asset without known decimals", { asset: "QQQ" }],
    ["names of columns without a header", { header: false }],
    ["a column with the number 0", { columns: { date: 0 } }],
    ["a negative number of lines to skip", { skipLines: -1 }],
    ["one column for credits and debits", { amount: { by: "columns", credit: 1, debit: 1 } }],
    [
      "words that are credit and debit",
      { amount: { by: "word", amount: 1, word: 2, credit: ["C"], debit: ["c "] } },
    ],
    ["no words", { amount: { by: "word", amount: 1, word: 2, credit: [], debit: ["c "] } }],
  ])("is refused for %s", async (_what, mapping) => {
    expect(await read("Date;Amount\n05.01.2026;1,00\n", mapping)).toMatch(
      /^(?:MAPPING|CURRENCY) 1:1$/,
    );
  });

  it("is refused before the file is read", async () => {
    const options = { ...DECIMALS, mapping: { ...MAPPING, delimiter: "" } };
    await expect(
      readStatement("csv", options, chunked(new Uint8Array())).next(),
    ).rejects.toMatchObject({
      kind: "MAPPING",
    });
  });

  it("reads dates in its form only", async () => {
    const dates = (text: string, mapping: Partial<CsvMapping>) =>
      read(`Date;Amount\n${text};1,00\n`, mapping);
    expect(
      await dates("5-Mär-26", {
        dateFormat: "D-MMM-YY",
        months: "jan feb mär apr mai jun jul aug sep okt nov dez".split(" "),
      }),
    ).toEqual([["2026-03-05", 100n]]);
    expect(await dates("2026/3/5", { dateFormat: "YYYY/M/D" })).toEqual([["2026-03-05", 100n]]);
    expect(await dates("20260305", { dateFormat: "YYYYMMDD" })).toEqual([["2026-03-05", 100n]]);
    expect(await dates("29.02.2028", {})).toEqual([["2028-02-29", 100n]]);
    for (const bad of [
      "29.02.2026",
      "31.04.2026",
      "00.01.2026",
      "5.1.2026",
      "2026-01-05",
      "05.01.2026 10:00",
      "05.01.26",
    ])
      expect(await dates(bad, {})).toBe("DATE 2:1");
  });

  it("reads amounts in its form only, and exactly", async () => {
    const amount = (text: string, mapping: Partial<CsvMapping> = { thousandsSign: "." }) =>
      read(`Date;Amount\n05.01.2026;${text}\n`, mapping);
    const good: readonly (readonly [string, bigint])[] = [
      ["1", 100n],
      ["1,5", 150n],
      ["1.234.567,89", 123456789n],
      ["1234567,89", 123456789n],
      ["-0,01", -1n],
      ["0,01-", -1n],
      ["(0,01)", -1n],
      ["+ 3", 300n],
      ["\u{2212}3,00", -300n],
      ["1,500", 150n],
      ["90071992547409931234,56", 9007199254740993123456n],
    ];
    for (const [text, units] of good) expect(await amount(text)).toEqual([["2026-01-05", units]]);
    for (const bad of [
      "1.23,45",
      "12.34",
      "1.2345,00",
      "1,234.56",
      "1e3",
      "1,005",
      "--1",
      "-1-",
      "-(1)",
      "1 000",
      "€1",
      ".",
      "",
      "9".repeat(60),
    ])
      expect(await amount(bad)).toMatch(/^(?:AMOUNT|MISSING) 2:12$/);
    expect(await amount("1 234,00", { thousandsSign: " " })).toEqual([["2026-01-05", 123400n]]);
    expect(await amount("1\u{202F}234,00", { thousandsSign: " " })).toEqual([
      ["2026-01-05", 123400n],
    ]);
  });

  it("has one amount in each row when credits and debits have columns", async () => {
    const columns = (row: string) =>
      read(`Date;In;Out\n05.01.2026;${row}\n`, {
        amount: { by: "columns", credit: "In", debit: "Out" },
      });
    expect(await columns("1,00;")).toEqual([["2026-01-05", 100n]]);
    expect(await columns(";1,00")).toEqual([["2026-01-05", -100n]]);
    expect(await columns("0,00;1,00")).toEqual([["2026-01-05", -100n]]);
    expect(await columns("1,00;1,00")).toBe("VALUE 2:17");
    expect(await columns(";-1,00")).toBe("AMOUNT 2:13");
    expect(await columns(";")).toBe("MISSING 2:12");
  });

  it("lets no delimiter move amounts into another column", async () => {
    expect(await read("Date;Amount;Note\n05.01.2026;;1,00;\n")).toBe("SYNTAX 2:1");
    expect(await read("Date;Amount;Note\n05.01.2026;1,00\n")).toBe("SYNTAX 2:1");
    expect(await read("Date;Amount;Amount\n05.01.2026;1,00;2,00\n")).toBe("SYNTAX 1:13");
  });
});
