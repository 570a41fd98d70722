import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonSplitter } from "#modules/ledger/bulk/json-splitter.ts";
import { ELEMENT_BYTES_MAX } from "#modules/ledger/bulk/limits.ts";
import { JSON_DEPTH_MAX } from "#platform/json-depth.ts";
import { parseJson } from "#platform/json.ts";
import { bytesOf, chunksOf, oneByOne, split, summaryOf } from "#test/support/platform/streams.ts";

const piecesOf = (chunks: readonly Uint8Array[]) => summaryOf(split(new JsonSplitter(), chunks));
const splitText = (text: string) => piecesOf([bytesOf(text)]);

/** Texts with everything that could mislead a search for the end of an object. */
const misleading = fc.oneof(
  fc.constantFrom('"', "\\", "{", "}", "[", "]", "\\u0022", '\\"', "é", "𝄞", "\n", ","),
  fc.string({ unit: "grapheme" }),
);
const texts = fc.array(misleading, { maxLength: 6 }).map((parts) => parts.join(""));
const { value: json } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, fc.integer(), texts, tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 4 }),
  object: fc.dictionary(texts, tie("value"), { maxKeys: 4 }),
}));
const object = fc.dictionary(texts, json, { maxKeys: 4 });
const space = fc.array(fc.constantFrom(" ", "\n", "\r", "\t"), { maxLength: 3 });
const chunkSizes = fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 60 });

describe("the splitter of JSON streams", () => {
  test("the splitter of JSON streams gives each object of a stream, with or without space between them", () => {
    expect(splitText("")).toEqual([]);
    expect(splitText(" \r\n\t ")).toEqual([]);
    expect(splitText('{"a":1}{"b":{"c":[{}]}}\n\n {} ')).toEqual([
      '{"a":1}',
      '{"b":{"c":[{}]}}',
      "{}",
    ]);
  });

  test("the splitter of JSON streams finds the same objects in any chunks", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(object, space)), chunkSizes, (items, sizes) => {
        const stream = items.map(([item, blank]) => JSON.stringify(item) + blank.join("")).join("");
        const found = piecesOf(chunksOf(bytesOf(stream), sizes));
        expect(found).toEqual(items.map(([item]) => JSON.stringify(item)));
        expect(found.map((text) => parseJson(text))).toEqual(items.map(([item]) => item));
      }),
    );
  });

  test("the splitter of JSON streams gives the same result for any bytes in any chunks, and never throws", () => {
    const structural = fc.constantFrom(...bytesOf('{}[]"\\ \n:,1é'), 0xff, 0x00);
    const bytes = fc
      .array(fc.oneof({ arbitrary: structural, weight: 6 }, fc.integer({ min: 0, max: 255 })))
      .map((items) => Uint8Array.from(items));
    fc.assert(
      fc.property(bytes, chunkSizes, (stream, sizes) => {
        const whole = split(new JsonSplitter(), [stream]);
        expect(split(new JsonSplitter(), chunksOf(stream, sizes))).toEqual(whole);
        expect(split(new JsonSplitter(), oneByOne(stream))).toEqual(whole);
        expect(whole.slice(0, -1).every(({ ok }) => ok)).toBe(true);
      }),
    );
  });

  test.each([
    ["{oops", "! the stream ends inside of it"],
    ['{"a":"}', "! the stream ends inside of it"],
    ["[{}]", '! expected an object, as `{"action": …}`'],
    ["null", '! expected an object, as `{"action": …}`'],
    [",{}", '! expected an object, as `{"action": …}`'],
    ["\ufeff{}", '! expected an object, as `{"action": …}`'],
  ])("the splitter of JSON streams keeps the elements before the broken %j", (text, message) => {
    expect(splitText(`{"a":1}${text}`)).toEqual(['{"a":1}', message]);
  });

  test("the splitter of JSON streams does not check that brackets match, because the parser does", () => {
    expect(splitText('{]{"a":1}')).toEqual(["{]", '{"a":1}']);
  });

  test("the splitter of JSON streams reports bytes that are not UTF-8 at their element, not at their chunk", () => {
    const stream = Uint8Array.of(0x7b, 0x7d, 0x7b, 0x22, 0xff, 0x22, 0x7d);
    for (const chunks of [[stream], oneByOne(stream)]) {
      expect(piecesOf(chunks)).toEqual(["{}", "! it is not valid UTF-8"]);
    }
  });

  test("the splitter of JSON streams limits the depth of an element", () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    expect(splitText(nested(JSON_DEPTH_MAX))).toEqual([nested(JSON_DEPTH_MAX)]);
    expect(splitText(nested(JSON_DEPTH_MAX + 1))).toEqual([
      `! it is nested deeper than ${JSON_DEPTH_MAX} levels`,
    ]);
  });

  test("the splitter of JSON streams limits the size of an element, not of the space between elements", () => {
    const sized = (size: number) => bytesOf(`{"a":"${"x".repeat(size - 8)}"}`);
    const inHalves = (bytes: Uint8Array) => chunksOf(bytes, [bytes.length / 2]);
    const largest = sized(ELEMENT_BYTES_MAX);
    const space = bytesOf(" ".repeat(ELEMENT_BYTES_MAX));
    for (const chunks of [[largest], inHalves(largest)]) {
      const pieces = split(new JsonSplitter(), [...chunks, space, space, bytesOf("{}")]);
      expect(pieces.map(({ ok }) => ok)).toEqual([true, true]);
    }
    const larger = sized(ELEMENT_BYTES_MAX + 1);
    for (const chunks of [[larger], inHalves(larger), [larger.subarray(0, -1)]]) {
      const failure = { kind: "BULK_SIZE_EXCEEDED", message: expect.any(String) as string };
      const isWhole = chunks.at(-1)?.at(-1) === 0x7d;
      const expected = isWhole
        ? failure
        : { kind: "VALIDATION", message: expect.any(String) as string };
      expect(split(new JsonSplitter(), chunks)).toEqual([{ ok: false, failure: expected }]);
    }
  });
});
