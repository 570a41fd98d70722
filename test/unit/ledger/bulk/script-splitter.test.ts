import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ELEMENT_BYTES_MAX, SCRIPT_LINE_BYTES_MAX } from "#modules/ledger/bulk/limits.ts";
import { ScriptSplitter } from "#modules/ledger/bulk/script-splitter.ts";
import { bytesOf, chunksOf, oneByOne, split, summaryOf } from "#test/support/platform/streams.ts";

const piecesOf = (chunks: readonly Uint8Array[]) =>
  summaryOf(split(new ScriptSplitter(), chunks)).map((piece) =>
    typeof piece === "string" ? piece : [piece.idempotencyKey, piece.plain],
  );
const splitText = (text: string) => piecesOf([bytesOf(text)]);

describe("the splitter of script streams", () => {
  test("the splitter of script streams gives each script with its key", () => {
    expect(splitText("")).toEqual([]);
    expect(splitText("\n \t\r\n\n")).toEqual([]);
    expect(
      splitText("//script\nsend [USD 1] (\n)\n//end\n\n//script ik=one\na\n\n//end\n"),
    ).toEqual([
      ["", "send [USD 1] (\n)\n"],
      ["one", "a\n\n"],
    ]);
  });

  test("the splitter of script streams ends the last script with the stream, the same with and without a last line end", () => {
    for (const end of ["", "\n", "\r\n", "\n//end", "\n//end\n", "\n//end\r\n"]) {
      expect(splitText(`//script\na${end}`)).toEqual([["", "a\n"]]);
    }
  });

  test("the splitter of script streams accepts an empty script, which is refused in its turn", () => {
    const empty = ["", ""];
    expect(splitText("//script")).toEqual([empty]);
    expect(splitText("//script\n//end\n//script\n//end")).toEqual([empty, empty]);
  });

  test("the splitter of script streams ends a script only at a line that is exactly `//end`", () => {
    const lines = ["//end ", " //end", "//ended", "//script"];
    expect(splitText(`//script\n${lines.join("\n")}\n//end`)).toEqual([
      ["", `${lines.join("\n")}\n`],
    ]);
  });

  test.each([
    ["//script", ""],
    ["//script ", ""],
    ["//script\tik=k", "k"],
    ["//script   ik = a b ", "a b"],
    ["//script ik=a=b", "a=b"],
    ["//script ik=", ""],
    ["//script ik=é𝄞", "é𝄞"],
  ])("the splitter of script streams reads the header %j", (header, key) => {
    expect(splitText(`${header}\na\n//end`)).toEqual([[key, "a\n"]]);
  });

  test.each([
    ["send [USD 1]", "invalid header: expected `//script`"],
    ["//scripts", "invalid header: expected `//script`"],
    [" //script", "invalid header: expected `//script`"],
    ["//end", "invalid header: expected `//script`"],
    ["//script ik", "expected `ik=KEY`, found `ik`"],
    ["//script ik=a,ik=b", "the option 'ik' is repeated"],
    ["//script ik=,ik=b", "the option 'ik' is repeated"],
    ["//script ik=a,", "unknown option ''"],
    ["//script ik=a,tx=b", "unknown option 'tx'"],
    ["//script IK=a", "unknown option 'IK'"],
    [`//script ${"x".repeat(50)}=1`, `unknown option '${"x".repeat(40)}'`],
    ["//script ik=a\0", "the idempotency key contains U+0000"],
  ])("the script splitter refuses the header %j, not the scripts before it", (header, message) => {
    expect(splitText(`//script\na\n//end\n${header}\nb\n//end`)).toEqual([
      ["", "a\n"],
      `! line 4: ${message}`,
    ]);
  });

  test("the splitter of script streams refuses a script with characters that no text may contain", () => {
    expect(splitText("//script\na\0\n//end")).toEqual(["! the script contains U+0000"]);
    const surrogate = Uint8Array.of(0xed, 0xa0, 0x80);
    for (const bad of [Uint8Array.of(0xff), surrogate]) {
      const script = [bytesOf("//script\n"), bad, bytesOf("\n//end")];
      expect(piecesOf(script)).toEqual(["! the script is not valid UTF-8"]);
      expect(piecesOf([bytesOf("//script ik="), bad, bytesOf("\n//end")])).toEqual([
        "! line 1: it is not valid UTF-8",
      ]);
    }
  });

  test("the splitter of script streams finds the same scripts in any chunks", () => {
    const line = fc
      .string({ unit: "grapheme" })
      .map((text) => text.replaceAll(/[\n\r\0]/g, ""))
      .filter((text) => text !== "//end");
    const item = fc.record({ key: fc.stringMatching(/^[a-z0-9]{0,8}$/), lines: fc.array(line) });
    const sizes = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 });
    const lineEnd = fc.constantFrom("\n", "\r\n");
    fc.assert(
      fc.property(fc.array(item), lineEnd, sizes, (items, end, chunks) => {
        const stream = items
          .flatMap(({ key, lines }) => [`//script ik=${key}`, ...lines, "//end", ""])
          .join(end);
        expect(piecesOf(chunksOf(bytesOf(stream), chunks))).toEqual(
          items.map(({ key, lines }) => [key, lines.map((text) => `${text}\n`).join("")]),
        );
      }),
    );
  });

  test("the splitter of script streams gives the same result for any bytes in any chunks, and never throws", () => {
    const word = fc.constantFrom("//script", "//end", "\n", "\r\n", " ik=", ",", "é", "\0", " ");
    const part = fc.oneof(word.map(bytesOf), fc.uint8Array({ maxLength: 2 }));
    const sizes = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 });
    fc.assert(
      fc.property(fc.array(part), sizes, (parts, chunks) => {
        const stream = Uint8Array.from(parts.flatMap((bytes) => [...bytes]));
        const whole = split(new ScriptSplitter(), [stream]);
        expect(split(new ScriptSplitter(), chunksOf(stream, chunks))).toEqual(whole);
        expect(split(new ScriptSplitter(), oneByOne(stream))).toEqual(whole);
        expect(whole.slice(0, -1).every(({ ok }) => ok)).toBe(true);
      }),
    );
  });

  test("the splitter of script streams limits the length of a line, without its end", () => {
    const line = "x".repeat(SCRIPT_LINE_BYTES_MAX);
    for (const end of ["\n", "\r\n"]) {
      const stream = bytesOf(`//script\n${line}${end}//end`);
      // The chunks end nowhere, before, and in the middle of the line end.
      for (const sizes of [[], [9 + line.length], [9 + line.length + 1]]) {
        expect(piecesOf(chunksOf(stream, sizes))).toEqual([["", `${line}\n`]]);
      }
    }
    const tooLong = [`! line 2: it is longer than ${SCRIPT_LINE_BYTES_MAX} bytes`];
    expect(splitText(`//script\n${line}x\n//end`)).toEqual(tooLong);
    expect(splitText(`//script\n${line}x`)).toEqual(tooLong);
    expect(piecesOf([bytesOf("//script\n"), bytesOf(line), bytesOf("xx")])).toEqual(tooLong);
  });

  test("the splitter of script streams limits the size of a script", () => {
    const lines = (count: number) => [
      bytesOf("//script\n"),
      ...Array.from({ length: count }, () => bytesOf(`${"x".repeat(1023)}\n`)),
      bytesOf("//end"),
    ];
    const most = ELEMENT_BYTES_MAX / 1024;
    expect(split(new ScriptSplitter(), lines(most)).map(({ ok }) => ok)).toEqual([true]);
    expect(split(new ScriptSplitter(), lines(most + 1))).toMatchObject([
      { ok: false, failure: { kind: "BULK_SIZE_EXCEEDED" } },
    ]);
  });
});
