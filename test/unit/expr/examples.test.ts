import { expect, test } from "vitest";
import { resultOf } from "#test/support/expr/evaluate.ts";

test.each([
  ['event.status == "SUCCEEDED" && event.asset startsWith "EUR"', "true"],
  ['any(event.transactions, any(.postings, .destination == "bank"))', "true"],
  ["event.transactions[0].metadata.order", '"7"'],
  ["event.transactions[0].metadata.none", "nil"],
  ['"payout-" + event.reference', '"payout-r-7"'],
  ['link(event, "one").name', '"First"'],
  ['event.metadata?.tier ?? "basic"', '"basic"'],
  ["a + b", "failed: invalid operation: <nil> + <nil> (1:3)\n | a + b\n | ..^"],
  ["event.x.y", "failed: cannot fetch y from <nil> (1:9)\n | event.x.y\n | ........^"],
])("%s yields %s", (source, expected) => {
  expect(resultOf(source)).toBe(expected);
});

test("a message shows the line that it is about, with the caret below the character", () => {
  const source = 'event.status == "é😀" and\n  "é😀" + 1 == "x"';

  expect(resultOf(source.replace("==", "!="))).toBe(
    'failed: invalid operation: string + int (2:8)\n |   "é😀" + 1 == "x"\n | .......^',
  );
});

test("a very long line of an expression is shown around the position only", () => {
  const message = resultOf(`${'"a" + '.repeat(50)}1`);

  expect(message).toContain("(1:299)");
  expect(message.length).toBeLessThan(500);
});
