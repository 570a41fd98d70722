import { beforeEach, describe, expect, test } from "vitest";
import type { MatchingEngine } from "#modules/reconciliation/matchings/engine/engine.ts";
import type { NewLine } from "#modules/reconciliation/matchings/engine/put-lines.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import {
  beginRun,
  BY,
  finishRun,
  openEngine,
  SETTINGS,
} from "#test/support/reconciliation/engine.ts";

let sql: NodeSql;
let engine: MatchingEngine;

const line = (sourceId: string, more: Partial<NewLine> = {}): NewLine => ({
  side: "left",
  day: 20_000,
  asset: "EUR/2",
  amount: 500n,
  fee: undefined,
  texts: {},
  sourceId,
  ...more,
});

const right = (sourceId: string, more: Partial<NewLine> = {}): NewLine =>
  line(sourceId, { side: "right", ...more });

/** Ends the run that has begun, or runs what its sources have got. */
const run = (lines: readonly NewLine[] = [], threshold = 90): void => {
  if (engine.heads.working() === undefined) beginRun(engine, lines, { ...SETTINGS, threshold });
  finishRun(engine);
};

/** The states of groups, in the order in which they were made. */
const states = (): readonly string[] =>
  sql.all<{ state: string }>("SELECT state FROM line_group ORDER BY id").map(({ state }) => state);

const openLines = (): readonly number[] =>
  sql.all<{ id: number }>("SELECT id FROM line WHERE state = 0 ORDER BY id").map(({ id }) => id);

beforeEach(() => {
  sql = new NodeSql();
  engine = openEngine(sql);
});

describe("a proposal", () => {
  beforeEach(() => {
    run([line("a"), right("b", { day: 20_001 })]);
  });

  test("that is confirmed is a match, and is confirmed or declined no second time", () => {
    engine.confirm(1, BY);
    expect(states()).toEqual(["matched"]);
    expect(() => engine.confirm(1, BY)).toThrow("group 1 is matched, and not proposed");
    expect(() => engine.decline(1, BY)).toThrow("group 1 is matched, and not proposed");
    run();
  });

  test("that is declined is not made again", () => {
    engine.decline(1, BY);
    expect(openLines()).toEqual([1, 2]);
    run();
    expect(states()).toEqual(["declined"]);
    expect(openLines()).toEqual([1, 2]);
  });

  test("is made anew by a run, with what is known by then", () => {
    run([right("better")]);
    const [group] = sql.all<{ right_lines: string }>("SELECT right_lines FROM line_group");
    expect(group).toEqual({ right_lines: "[3]" });
  });

  test("that a run makes anew has another id, so that nobody decides about another one than he saw", () => {
    run();
    expect(() => engine.confirm(1, BY)).toThrow("group 1 is gone");
    engine.confirm(2, BY);
    expect(states()).toEqual(["matched"]);
    expect(engine.journal.after(0, 10).map(({ what, group }) => [what, group])).toEqual([
      ["run", 0],
      ["run", 0],
      ["confirm", 2],
    ]);
  });

  test("is dissolved where a person matches one of its lines with another one", () => {
    beginRun(engine, [right("chosen", { amount: 499n })]);
    const id = engine.matchByHand({ left: [1], right: [3] }, BY);
    expect(states()).toEqual(["matched"]);
    expect(openLines()).toEqual([2]);
    expect(() => engine.matchByHand({ left: [1], right: [2] }, BY)).toThrow("is matched already");
    engine.breakUp(id, BY);
    expect(openLines()).toEqual([1, 2, 3]);
  });
});

describe("a match", () => {
  const texts = { endToEndId: "order-1" };

  beforeEach(() => {
    run([line("a", { texts }), right("b", { texts })]);
  });

  test("that a person has broken is not made again by a run, but by hand", () => {
    engine.breakUp(1, BY);
    run();
    expect(states()).toEqual(["broken"]);
    engine.matchByHand({ left: [1], right: [2] }, BY);
    expect(states()).toEqual(["broken", "matched"]);
  });

  test("is broken when a source changes one of its lines, and made again when it fits again", () => {
    beginRun(engine, [right("b", { texts, amount: 400n })]);
    expect(openLines()).toEqual([1, 2]);
    run();
    expect(states()).toEqual(["broken"]);
    expect(sql.all("SELECT break_class FROM line")).toEqual([
      { break_class: "amount" },
      { break_class: "amount" },
    ]);
    run([right("b", { texts })]);
    expect(states()).toEqual(["broken", "matched"]);
  });
});

test("a choice among combinations is made by hand, and not by a confirmation", () => {
  run([line("a", { texts: { text: "one" } }), line("b"), right("c")], 50);
  expect(states()).toEqual(["proposed"]);
  expect(() => engine.confirm(1, BY)).toThrow("several combinations of the lines of group 1 fit");
  engine.matchByHand({ left: [2], right: [3] }, BY);
  expect(openLines()).toEqual([1]);
});

test("a group that does not exist is not found, and neither is a line", () => {
  expect(() => engine.confirm(9, BY)).toThrow("there is no group 9");
  expect(() => engine.matchByHand({ left: [1], right: [2] }, BY)).toThrow("does not exist");
  beginRun(engine, [line("a"), right("b")]);
  expect(() => engine.matchByHand({ left: [2], right: [1] }, BY)).toThrow("is of the other side");
  expect(() => engine.matchByHand({ left: [1, 1], right: [2] }, BY)).toThrow("stands twice");
  expect(() => engine.matchByHand({ left: [1], right: [] }, BY)).toThrow("a line of each side");
});

test("a page that comes when its run has begun to match changes no line", () => {
  const texts = { endToEndId: "order-1" };
  beginRun(engine, [line("a", { texts }), right("b", { texts })]);
  engine.collect({
    side: "right",
    lines: [right("b", { texts: { endToEndId: "order-2" } }), right("c", { texts })],
    position: "late",
    isLast: true,
  });
  run();
  expect(states()).toEqual(["matched"]);
  expect(engine.lineCount()).toBe(2);
  expect(engine.collection.position("right")).toBe("end");
});

test("a proposal is dissolved when a source changes one of its lines", () => {
  run([line("a"), right("b", { day: 20_001 })]);
  beginRun(engine, [right("b", { day: 20_001, amount: 400n })]);
  expect(states()).toEqual([]);
  expect(openLines()).toEqual([1, 2]);
});

test("amounts beyond 2^53 are compared exactly", () => {
  const amount = 2n ** 90n;
  const texts = { endToEndId: "order-1" };
  run([line("a", { amount, texts }), right("b", { amount: amount + 1n, texts })]);
  expect(states()).toEqual([]);
  run([right("b", { amount, texts })]);
  expect(states()).toEqual(["matched"]);
});

test("a match by hand is of one asset, and says in its note why its sums differ", () => {
  beginRun(engine, [
    line("a"),
    right("b", { amount: 499n }),
    right("c", { asset: "USD/2" }),
    right("d", { texts: { endToEndId: "d" } }),
  ]);
  const silent = { ...BY, note: " " };
  expect(() => engine.matchByHand({ left: [1], right: [3] }, BY)).toThrow("different assets");
  expect(() => engine.matchByHand({ left: [1], right: [2] }, silent)).toThrow("differ by 1");
  const strict = { left: [1], right: [2], mustAddUp: true };
  expect(() => engine.matchByHand(strict, BY)).toThrow("write the difference off");
  expect(openLines()).toEqual([1, 2, 3, 4]);
  engine.matchByHand({ ...strict, right: [4] }, silent);
  expect(openLines()).toEqual([2, 3]);
});
