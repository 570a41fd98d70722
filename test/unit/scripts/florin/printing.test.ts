import { describe, expect, test } from "vitest";
import { cellsOf, money, moneys, rowsOf } from "#scripts/florin/api/fields.ts";
import { columns } from "#scripts/florin/columns.ts";
import type { RowStream } from "#scripts/florin/command.ts";
import { printResult } from "#scripts/florin/output.ts";
import { printable } from "#scripts/florin/printable.ts";
import { tableLines } from "#scripts/florin/table.ts";

async function* from<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

const tableOf = (rows: readonly string[][], width?: number) =>
  Array.fromAsync(tableLines(["Name", "Text"], from(rows), width));

describe("a table", () => {
  test("a table has aligned columns under titles, and nothing of it is cut in a pipe", async () => {
    const long = "x".repeat(300);
    expect(
      await tableOf([
        ["a", "1"],
        ["longer", long],
      ]),
    ).toEqual(["Name    Text", "a       1", `longer  ${long}`]);
  });

  test("a table fits into the terminal, because its widest columns become narrower", async () => {
    const lines = await tableOf(
      [
        ["a", "x".repeat(300)],
        ["bcd", "short"],
      ],
      20,
    );
    expect(lines).toEqual(["Name  Text", `a     ${"x".repeat(13)}…`, "bcd   short"]);
  });

  test("a table does not vanish in a terminal that is too narrow for it", async () => {
    const [, line] = await tableOf([["abcdefgh", "ijklmnop"]], 3);
    expect(line).toBe("abcde…  ijklm…");
  });

  test("rows of a long table are read as lines are taken", async () => {
    let taken = 0;
    async function* rows() {
      for (; taken < 10_000; taken++) yield [`${taken}`, ""];
    }
    const lines = tableLines(["Name", "Text"], rows());
    for (let count = 0; count < 300; count++) await lines.next();
    expect(taken).toBeLessThan(302);
    await lines.return(undefined);
  });
});

describe("a list", () => {
  const listOf = (items: readonly unknown[]): RowStream => ({
    kind: "rows",
    titles: ["Id"],
    rows: from(items.map((item) => ({ item, cells: cellsOf(item, { Id: "id" }) }))),
    empty: "There are none.",
  });
  const print = async (items: readonly unknown[], json: boolean) => {
    const lines: string[] = [];
    const output = { write: (line: string) => void lines.push(line) };
    await printResult(listOf(items), { json, output });
    return lines;
  };

  test("a list is a JSON array with an item in each line, and exact numbers", async () => {
    const lines = await print([{ id: 2n ** 70n }, { id: 2 }], true);
    expect(lines).toEqual(["[", '{"id":1180591620717411303424},', '{"id":2}', "]"]);
    expect(await print([], true)).toEqual(["[]"]);
  });

  test("a list is a table, or a sentence where it is empty", async () => {
    expect(await print([{ id: 7n }], false)).toEqual(["Id", "7"]);
    expect(await print([], false)).toEqual(["There are none."]);
  });
});

describe("fields", () => {
  const ITEM = {
    id: 7,
    config: { name: "Main" },
    amount: 10n ** 20n,
    asset: "USD/2",
    tags: ["a", "b"],
    metadata: { order: "42", note: "x y" },
    none: null,
  };

  test("the cells of an item are texts of one line", () => {
    const fields = {
      Id: "id",
      Name: "config.name",
      Amount: money(),
      Tags: "tags",
      Metadata: "metadata",
      None: "none",
      Missing: "config.name.first",
    };
    expect(cellsOf(ITEM, fields)).toEqual([
      "7",
      "Main",
      "100000000000000000000 USD/2",
      "a b",
      "order=42 note=x y",
      "",
      "",
    ]);
  });

  test("a list has a line for each of its items, and what is missing has none", () => {
    const fields = { Tag: "tags", Metadata: "metadata", None: "none" };
    expect(rowsOf(ITEM, fields)).toEqual([
      ["Tag", "a"],
      ["Tag", "b"],
      ["Metadata", "order: 42"],
      ["Metadata", "note: x y"],
    ]);
    expect(moneys({ "USD/2": 5n })).toEqual(["5 USD/2"]);
    expect(moneys(undefined)).toEqual([]);
  });

  test("lines of columns have no character that controls a terminal", () => {
    const escape = String.fromCodePoint(27);
    expect(columns([["a", `b${escape}[2J`]])).toEqual(["  a  b\uFFFD[2J"]);
  });

  test("texts of clients move no cursor, and neither break nor turn a line", () => {
    const escape = String.fromCodePoint(27);
    const override = String.fromCodePoint(0x202e);
    expect(printable(`a\n${escape}[2Jb${override}c é 金`)).toBe("a��[2Jb�c é 金");
    expect(cellsOf({ [`k${escape}`]: { "a\r": "b\t" } }, { All: (item) => item })).toEqual([
      "k�=a�=b�",
    ]);
  });
});
