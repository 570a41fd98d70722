import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { linesOf } from "#scripts/florin/backup/saved-lines.ts";

const path = join(mkdtempSync(join(tmpdir(), "florin-saved-lines-")), "lines.gz");

async function linesIn(bytes: Uint8Array): Promise<string[]> {
  writeFileSync(path, bytes);
  return Array.fromAsync(linesOf(path));
}

test("only a newline ends a line, and not the other separators of lines that a JSON may have in a text", async () => {
  const lines = ['["a\u2028b\u2029c"]', "", '["\r\u0085"]', '"last"'];
  expect(await linesIn(gzipSync(lines.join("\n")))).toEqual(lines);
  expect(await linesIn(gzipSync(`${lines.join("\n")}\n`))).toEqual(lines);
  expect(await linesIn(gzipSync(""))).toEqual([]);
});

test("lines are whole that begin in one chunk and end in a later one", async () => {
  const lines = Array.from({ length: 50 }, (_, number) => `${number}:${"é".repeat(number * 997)}`);
  expect(await linesIn(gzipSync(lines.map((line) => `${line}\n`).join("")))).toEqual(lines);
});

test("a file that is missing, cut off or not compressed is an error of its reader", async () => {
  await expect(linesIn(gzipSync("a\nb\n").subarray(0, -9))).rejects.toThrow(
    "unexpected end of file",
  );
  await expect(linesIn(Buffer.from("a\nb\n"))).rejects.toThrow("incorrect header check");
  await expect(Array.fromAsync(linesOf(`${path}-none`))).rejects.toThrow("ENOENT");
});
