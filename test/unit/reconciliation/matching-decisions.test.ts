import { beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_PASSES } from "#modules/reconciliation/core/matching/default-passes.ts";
import { MatchingEngine } from "#modules/reconciliation/matchings/engine/engine.ts";
import type { NewLine } from "#modules/reconciliation/matchings/engine/lines.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";

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

const run = (threshold = 90): void => {
  engine.start({ passes: DEFAULT_PASSES, threshold, today: 20_500, timingDays: 2 });
  while (engine.work());
};

/** The states of groups, in the order in which they were made. */
const states = (): readonly string[] =>
  sql.all<{ state: string }>("SELECT state FROM line_group ORDER BY id").map(({ state }) => state);

const openLines = (): readonly number[] =>
  sql.all<{ id: number }>("SELECT id FROM line WHERE state = 0 ORDER BY id").map(({ id }) => id);

beforeEach(() => {
  sql = new NodeSql();
  engine = new MatchingEngine(sql);
});

describe("a proposal", () => {
  beforeEach(() => {
    engine.put([line("a"), right("b", { day: 20_001 })]);
    run();
  });

  test("that is confirmed is a match, and is confirmed or declined no second time", () => {
    engine.confirm(1);
    expect(states()).toEqual(["matched"]);
    expect(() => engine.confirm(1)).toThrow("group 1 is matched, and not proposed");
    expect(() => engine.decline(1)).toThrow("group 1 is matched, and not proposed");
    run();
  });

  test("that is declined is not made again", () => {
    engine.decline(1);
    expect(openLines()).toEqual([1, 2]);
    run();
    expect(states()).toEqual(["declined"]);
    expect(openLines()).toEqual([1, 2]);
  });

  test("is made anew by a run, with what is known by then", () => {
    engine.put([right("better")]);
    run();
    const [group] = sql.all<{ right_lines: string }>("SELECT right_lines FROM line_group");
    expect(group).toEqual({ right_lines: "[3]" });
  });

  test("is dissolved where a person matches one of its lines with another one", () => {
    engine.put([right("chosen", { amount: 499n })]);
    const id = engine.matchByHand({ left: [1], right: [3] });
    expect(states()).toEqual(["matched"]);
    expect(openLines()).toEqual([2]);
    expect(() => engine.matchByHand({ left: [1], right: [2] })).toThrow("is matched already");
    engine.breakUp(id);
    expect(openLines()).toEqual([1, 2, 3]);
  });
});

describe("a match", () => {
  const texts = { endToEndId: "order-1" };

  beforeEach(() => {
    engine.put([line("a", { texts }), right("b", { texts })]);
    run();
  });

  test("that a person has broken is not made again by a run, but by hand", () => {
    engine.breakUp(1);
    run();
    expect(states()).toEqual(["broken"]);
    engine.matchByHand({ left: [1], right: [2] });
    expect(states()).toEqual(["broken", "matched"]);
  });

  test("is broken when a source changes one of its lines, and made again when it fits again", () => {
    engine.put([right("b", { texts, amount: 400n })]);
    expect(openLines()).toEqual([1, 2]);
    run();
    expect(states()).toEqual(["broken"]);
    expect(sql.all("SELECT break_class FROM line")).toEqual([
      { break_class: "amount" },
      { break_class: "amount" },
    ]);
    engine.put([right("b", { texts })]);
    run();
    expect(states()).toEqual(["broken", "matched"]);
  });
});

test("a choice among combinations is made by hand, and not by a confirmation", () => {
  engine.put([line("a", { texts: { text: "one" } }), line("b"), right("c")]);
  run(50);
  expect(states()).toEqual(["proposed"]);
  expect(() => engine.confirm(1)).toThrow("several combinations of the lines of group 1 fit");
  engine.matchByHand({ left: [2], right: [3] });
  expect(openLines()).toEqual([1]);
});

test("a group that does not exist is not found, and neither is a line", () => {
  expect(() => engine.confirm(9)).toThrow("there is no group 9");
  expect(() => engine.matchByHand({ left: [1], right: [2] })).toThrow("does not exist");
  engine.put([line("a"), right("b")]);
  expect(() => engine.matchByHand({ left: [2], right: [1] })).toThrow("is of the other side");
  expect(() => engine.matchByHand({ left: [1, 1], right: [2] })).toThrow("stands twice");
  expect(() => engine.matchByHand({ left: [1], right: [] })).toThrow("a line of each side");
});

test("a line whose reference changes while a run works is not matched by its old one", () => {
  const texts = { endToEndId: "order-1" };
  engine.put([line("a", { texts }), right("b", { texts })]);
  engine.start({ passes: DEFAULT_PASSES.slice(0, 1), threshold: 90, today: 20_500, timingDays: 2 });
  for (let slices = 0; slices < 3; slices += 1) engine.work(); // The keys of both lines are stored, and not looked at yet.
  expect(sql.all("SELECT line FROM pass_key")).toHaveLength(2);
  engine.put([right("b", { texts: { endToEndId: "order-2" } })]);
  while (engine.work());
  expect(states()).toEqual([]);
});

test("a proposal is dissolved when a source changes one of its lines", () => {
  engine.put([line("a"), right("b", { day: 20_001 })]);
  run();
  engine.put([right("b", { day: 20_001, amount: 400n })]);
  expect(states()).toEqual([]);
  expect(openLines()).toEqual([1, 2]);
});

test("amounts beyond 2^53 are compared exactly", () => {
  const amount = 2n ** 90n;
  const texts = { endToEndId: "order-1" };
  engine.put([line("a", { amount, texts }), right("b", { amount: amount + 1n, texts })]);
  run();
  expect(states()).toEqual([]);
  engine.put([right("b", { amount, texts })]);
  run();
  expect(states()).toEqual(["matched"]);
});
