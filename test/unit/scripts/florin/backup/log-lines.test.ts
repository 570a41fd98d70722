import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  LineCutter,
  markOf,
  type WholeLines,
  withoutFirst,
} from "#platform/backup/saving/log-lines.ts";

const lineOf = (id: number, text: string, version = ""): string =>
  `{"type":"SET_METADATA","data":{"metadata":${JSON.stringify({ note: text })}},"date":"2026-03-01T09:30:00Z","idempotencyKey":${JSON.stringify(text)},"idempotencyHash":"aGFzaA==","id":${id},"hash":"h${id}=="${version}}`;

test("a line's id and hash are those at its end, whatever its texts say", () => {
  const forged = '","idempotencyHash":"x","id":7,"hash":"forged"}';
  expect(markOf(lineOf(41, forged))).toMatchObject({ id: 41, hash: "h41==" });
  const version = `,"schemaVersion":${JSON.stringify(forged)}`;
  expect(markOf(lineOf(42, "plain", version))).toMatchObject({ id: 42, hash: "h42==" });
  expect(markOf(lineOf(1, "a")).line).not.toBe(markOf(lineOf(1, "b")).line);
  expect(() => markOf('{"errorCode":"INTERNAL"}')).toThrow("no log entry");
});

test("chunks of any sizes become the same whole lines, and the rest waits", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 20 }),
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }),
      (texts, sizes) => {
        const lines = texts.map((text, index) => lineOf(index, text));
        const bytes = Buffer.from(`${lines.join("\n")}\nthe beginning of a li`);
        const cutter = new LineCutter();
        const cut: WholeLines[] = [];
        for (let from = 0, turn = 0; from < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          const whole = cutter.cut(bytes.subarray(from, from + size));
          if (whole !== undefined) cut.push(whole);
          from += size;
        }
        expect(Buffer.concat(cut.map((whole) => whole.bytes)).toString("utf8")).toBe(
          `${lines.join("\n")}\n`,
        );
        expect(cut.reduce((sum, { count }) => sum + count, 0)).toBe(lines.length);
        expect(cut[0]?.first).toBe(lines[0]);
        expect(cut.at(-1)?.last).toBe(lines.at(-1));
      },
    ),
  );
});

test("lines without the first one are those behind it", () => {
  const lines = [lineOf(1, "a"), lineOf(2, "b"), lineOf(3, "c")];
  const whole = new LineCutter().cut(Buffer.from(`${lines.join("\n")}\n`));
  const rest = whole && withoutFirst(whole);
  expect(rest).toMatchObject({ count: 2, first: lines[1], last: lines[2] });
  expect(rest?.bytes.toString("utf8")).toBe(`${lines[1]}\n${lines[2]}\n`);
  const single = new LineCutter().cut(Buffer.from(`${lines[0]}\n`));
  expect(single && withoutFirst(single)).toBeUndefined();
});
