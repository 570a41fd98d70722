import { describe, expect, test } from "vitest";
import { LineIndex, type LspPosition } from "#numscript/syntax/source.ts";

const at = (line: number, character: number) => ({ line, character });

describe("the lines of a text", () => {
  test.each<[title: string, text: string, offset: number, expected: LspPosition]>([
    ["the beginning", "ab\ncd", 0, at(0, 0)],
    ["the end of a line", "ab\ncd", 2, at(0, 2)],
    ["the beginning of the next line", "ab\ncd", 3, at(1, 0)],
    ["the end", "ab\ncd", 5, at(1, 2)],
    ["a place after the end", "ab\ncd", 99, at(1, 2)],
    ["a place before the beginning", "ab", -1, at(0, 0)],
    ["a last line that is empty", "ab\n", 3, at(1, 0)],
    ["an empty text", "", 0, at(0, 0)],
    ["the end of a line with CR LF", "ab\r\ncd", 2, at(0, 2)],
    ["a place between CR and LF", "ab\r\ncd", 3, at(0, 2)],
    ["the line after CR LF", "ab\r\ncd", 4, at(1, 0)],
    ["the line after CR", "ab\rcd", 4, at(1, 1)],
    ["lines without anything", "\n\n\r\n\nx", 5, at(4, 0)],
    ["what follows a character of two code units", '"😀" x', 5, at(0, 5)],
  ])("the lines of a text give %s", (_name, text, ...question) => {
    const [offset, expected] = question;
    expect(new LineIndex(text).lspPositionOf(offset)).toEqual(expected);
  });

  test("the lines of a text give both ends of a range", () => {
    expect(new LineIndex("a\nbc\nd").lspRangeOf({ start: 3, end: 6 })).toEqual({
      start: at(1, 1),
      end: at(2, 1),
    });
  });

  test("the lines of a text agree with a count of each line", () => {
    const text = "one\ntwo\r\n\r\nthree\rfour\n\n";
    const index = new LineIndex(text);
    for (let offset = 0; offset <= text.length; offset++) {
      if (text.slice(offset - 1, offset + 1) === "\r\n") continue;
      const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
      const character = lines.at(-1)?.length ?? 0;
      expect(index.lspPositionOf(offset)).toEqual(at(lines.length - 1, character));
    }
  });
});
