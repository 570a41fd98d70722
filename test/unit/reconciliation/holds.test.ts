import { beforeEach, describe, expect, test } from "vitest";
import type { SourceLine } from "#modules/reconciliation/core/source-line.ts";
import { BreakDesk } from "#modules/reconciliation/matchings/desk/break-desk.ts";
import type { MatchingEngine } from "#modules/reconciliation/matchings/engine/engine.ts";
import type { NewLine } from "#modules/reconciliation/matchings/engine/put-lines.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { beginRun, BY, finishRun, openEngine } from "#test/support/reconciliation/engine.ts";

let sql: NodeSql;
let engine: MatchingEngine;
let desk: BreakDesk;

const line = (sourceId: string, more: Partial<SourceLine> = {}): SourceLine => ({
  sourceId,
  day: 20_000,
  asset: "EUR/2",
  amount: 500n,
  fee: undefined,
  texts: {},
  corrects: undefined,
  evidence: {},
  ...more,
});

/** Collects lines, and matches what belongs together. */
const run = (...lines: readonly NewLine[]): void => {
  beginRun(engine, lines);
  finishRun(engine);
};

const stateOf = (id: number): string | undefined => desk.find(id)?.state;

/** Matches the lines of a correction with the booking `12` on the right. */
const close = (correction: string, booked = [line("12")]): number =>
  desk.close({ correction, side: "right", booked, what: "correct", by: BY });

beforeEach(() => {
  sql = new NodeSql();
  engine = openEngine(sql);
  desk = new BreakDesk(sql);
  run({ ...line("bank"), side: "left" });
});

describe("a correction that was given up", () => {
  test("opens its lines, and a late repetition of its first step holds them no second time", () => {
    desk.hold("one", [1]);
    desk.hold("one", [1]);
    expect(stateOf(1)).toBe("held");
    desk.release("one");
    desk.release("one");
    expect(stateOf(1)).toBe("open");
    expect(() => desk.hold("one", [1])).toThrow("was given up");
    expect(() => close("one")).toThrow("are not held any more");
    desk.hold("two", [1]);
    desk.release("one");
    expect(stateOf(1)).toBe("held");
  });

  test("before it held a line holds none afterwards", () => {
    desk.release("one");
    expect(() => desk.hold("one", [1])).toThrow("was given up");
    expect(stateOf(1)).toBe("open");
  });
});

describe("the booking of a correction", () => {
  const texts = { endToEndId: "order-1" };

  test("is matched with the held line, once, and stays so whatever is repeated", () => {
    desk.hold("one", [1]);
    const group = close("one");
    expect(close("one")).toBe(group);
    desk.release("one");
    expect([stateOf(1), stateOf(2)]).toEqual(["matched", "matched"]);
  });

  test("that a run has matched with another line before is taken from it", () => {
    desk.hold("one", [1]);
    run({ ...line("12", { texts }), side: "right" }, { ...line("other", { texts }), side: "left" });
    expect([stateOf(2), stateOf(3)]).toEqual(["matched", "matched"]);
    const group = close("one", [line("12", { texts })]);
    expect(desk.find(2)?.group).toBe(group);
    expect([stateOf(1), stateOf(3)]).toEqual(["matched", "open"]);
    expect(engine.journal.ofGroup(group - 1).map(({ what }) => what)).toEqual(["reopen"]);
  });

  test("that a person has matched stays where it is", () => {
    desk.hold("one", [1]);
    beginRun(engine, [
      { ...line("12"), side: "right" },
      { ...line("other"), side: "left" },
    ]);
    engine.matchByHand({ left: [3], right: [2] }, BY);
    expect(() => close("one")).toThrow("matched with others already");
    expect([stateOf(1), stateOf(2)]).toEqual(["held", "matched"]);
  });

  test("counts for the last day of the matching", () => {
    desk.hold("one", [1]);
    close("one", [line("12", { day: 20_400 })]);
    expect(engine.collection.lastDay()).toBe(20_400);
  });
});
