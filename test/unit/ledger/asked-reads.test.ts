import { expect, test } from "vitest";
import {
  type AskedList,
  askedOnce,
  askedPage,
  noteAnswer,
} from "#modules/ledger/service/asked-reads.ts";
import { ALL } from "#test/support/ledger-engine/fixtures.ts";

const LOGS: AskedList = { name: "listLogs", args: (query) => [query], amounts: "integer" };
const body = (length: number): string => "x".repeat(length);

test("a page that is asked for again keeps its last answer", () => {
  const query = { ...ALL };
  const first = askedPage("a", query, LOGS);
  expect(noteAnswer(first, `v 1\n${body(5000)}`)).toBe(body(5000));
  expect(first.last).toBeUndefined();
  const again = askedPage("a", query, LOGS);
  expect(again).toBe(first);
  noteAnswer(again, `v 1\n${body(5000)}`);
  expect(again.last).toEqual({ version: "v 1", body: body(5000) });
  noteAnswer(again, `v 2\n${body(6000)}`);
  expect(again.last).toEqual({ version: "v 2", body: body(6000) });
  noteAnswer(again, `v 3\n${body(10)}`);
  expect(again.last).toBeUndefined();
});

test("a page of another ledger, list or form of amounts, or with an equal query, is another one", () => {
  const query = { ...ALL };
  const asked = askedPage("a", query, LOGS);
  expect(askedPage("a", { ...ALL }, LOGS)).not.toBe(asked);
  expect(askedPage("a", query, LOGS)).toBe(asked);
  const others = [
    () => askedPage("b", query, LOGS),
    () => askedPage("b", query, { ...LOGS, name: "listAccounts" }),
    () => askedPage("b", query, { ...LOGS, amounts: "text" }),
  ];
  for (const ask of others) {
    const other = ask();
    expect(other).not.toBe(asked);
    expect(other).toMatchObject({ isRepeated: false });
    expect(other.last).toBeUndefined();
  }
  expect(askedPage("a", query, { ...LOGS, amounts: "text" }).text).not.toBe(asked.text);
});

test("no answer is kept of what was asked once", () => {
  const asked = askedOnce({ name: "listLogs", args: [ALL] });
  noteAnswer(asked, `v 1\n${body(5000)}`);
  expect(asked.last).toBeUndefined();
});

test("the answers that were kept first make room for others", () => {
  const reads = Array.from({ length: 5 }, () => {
    const query = { ...ALL };
    askedPage("a", query, LOGS);
    const asked = askedPage("a", query, LOGS);
    noteAnswer(asked, `v 1\n${body(999_999)}`);
    return asked;
  });
  expect(reads.map(({ last }) => last !== undefined)).toEqual([false, true, true, true, true]);
  const [, second, ...others] = reads;
  noteAnswer(second ?? askedOnce({ name: "listLogs", args: [] }), `v 2\n${body(5_000_000)}`);
  expect(others.some(({ last }) => last !== undefined)).toBe(false);
  expect(second?.last).toBeUndefined();
});
