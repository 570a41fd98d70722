import { beforeEach, expect, test } from "vitest";
import type { MatchingEngine } from "#modules/reconciliation/matchings/engine/engine.ts";
import type { NewLine } from "#modules/reconciliation/matchings/engine/put-lines.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { beginRun, finishRun, openEngine } from "#test/support/reconciliation/engine.ts";

let sql: NodeSql;
let engine: MatchingEngine;

/** A line of a day with the reference `order-1`. */
const line = (
  [side, sourceId]: readonly [side: "left" | "right", sourceId: string],
  amount: bigint,
  corrects?: string,
): NewLine => ({
  side,
  sourceId,
  day: 20_000,
  asset: "EUR/2",
  amount,
  fee: undefined,
  texts: { endToEndId: "order-1" },
  corrects,
});

const run = (lines: readonly NewLine[]): void => {
  beginRun(engine, lines);
  finishRun(engine);
};

/** The groups that stand, by the names of their lines, and their passes. */
const groups = (): readonly string[] =>
  sql
    .all<{ pass: string; names: string }>(
      `SELECT pass, (SELECT group_concat(source_id, ' ') FROM (SELECT source_id FROM line WHERE line_group = line_group.id ORDER BY line.id)) AS names
       FROM line_group WHERE state = 'matched' ORDER BY names`,
    )
    .map(({ pass, names }) => `${names}: ${pass}`);

beforeEach(() => {
  sql = new NodeSql();
  engine = openEngine(sql);
});

test("a booking that was taken back is grouped with its reversal, and another one is matched", () => {
  run([
    line(["left", "wrong"], 500n),
    line(["left", "reversal"], -500n, "wrong"),
    line(["left", "right one"], 500n),
    line(["right", "bank"], 500n),
  ]);
  expect(groups()).toEqual(["right one bank: end-to-end id", "wrong reversal: taken back"]);
});

test("lines that both sides have taken back are matched with each other", () => {
  run([
    line(["left", "paid"], 500n),
    line(["left", "refunded"], -500n, "paid"),
    line(["right", "bank in"], 500n),
    line(["right", "bank out"], -500n),
  ]);
  expect(groups()).toEqual(["paid bank in: end-to-end id", "refunded bank out: end-to-end id"]);
});

test("a match is opened by a later refund, and made again when the other side shows the refund, too", () => {
  run([line(["left", "paid"], 500n), line(["right", "bank in"], 500n)]);
  expect(groups()).toEqual(["paid bank in: end-to-end id"]);
  run([line(["left", "refunded"], -500n, "paid")]);
  expect(groups()).toEqual(["paid refunded: taken back"]);
  expect(engine.journal.ofGroup(1)).toMatchObject([{ what: "reopen", run: 2 }]);
  run([line(["right", "bank out"], -500n)]);
  expect(groups()).toEqual(["paid bank in: end-to-end id", "refunded bank out: end-to-end id"]);
  expect(engine.journal.ofGroup(2)).toMatchObject([{ what: "reopen", run: 3 }]);
});

test("a refund of a part opens the match, and cancels nothing out", () => {
  run([line(["left", "paid"], 500n), line(["right", "bank in"], 500n)]);
  run([line(["left", "refunded"], -200n, "paid"), line(["right", "bank out"], -200n)]);
  expect(groups()).toEqual(["paid bank in: end-to-end id", "refunded bank out: end-to-end id"]);
});

test("a booking is taken back once, and not by a line of another asset", () => {
  run([
    line(["left", "booked"], 500n),
    { ...line(["left", "foreign"], -500n, "booked"), asset: "USD/2" },
    line(["left", "first"], -500n, "booked"),
    line(["left", "second"], -500n, "booked"),
    line(["left", "of nothing"], -500n, "unknown"),
  ]);
  expect(groups()).toEqual(["booked first: taken back"]);
});
