import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BreakClass } from "#modules/reconciliation/core/breaks/classify.ts";
import { breaksInMemory } from "#modules/reconciliation/core/breaks/in-memory.ts";
import {
  DEFAULT_PASSES,
  DEFAULT_THRESHOLD,
} from "#modules/reconciliation/core/matching/default-passes.ts";
import { matchInMemory } from "#modules/reconciliation/core/matching/in-memory.ts";
import { books, type Books, STORIES, TODAY } from "#test/support/reconciliation/planted-books.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const reconcile = ({ lines }: Books) => {
  const result = matchInMemory(DEFAULT_PASSES, lines, DEFAULT_THRESHOLD);
  const undecided = new Set(result.proposals.flatMap(({ left, right }) => [...left, ...right]));
  const breaks = breaksInMemory({
    lines,
    open: result.open,
    undecided,
    today: TODAY,
    timingDays: 2,
  });
  return { ...result, breaks };
};

const nameOf = (left: readonly number[], right: readonly number[]): string =>
  `${left.toSorted((a, b) => a - b).join("+")}=${right.toSorted((a, b) => a - b).join("+")}`;

describe("the default passes", () => {
  test("find all groups and breaks of books whose data determine them, and invent none", () => {
    const counts = { planted: 0, found: 0, right: 0 };
    fc.assert(
      fc.property(books(STORIES), (given) => {
        const { matches, breaks } = reconcile(given);
        const wanted = given.groups.map(({ left, right }) => nameOf(left, right));
        expect(matches.map(({ left, right }) => nameOf(left, right)).toSorted()).toEqual(
          wanted.toSorted(),
        );
        const classes = new Map<number, BreakClass>();
        for (const [id, found] of breaks) classes.set(id, found.class);
        for (const { anyOf, class: planted } of given.breaks) {
          counts.planted += 1;
          const open = anyOf.filter((id) => classes.has(id));
          if (open.length > 0) counts.found += 1;
          if (open.some((id) => classes.get(id) === planted)) counts.right += 1;
          expect(open.map((id) => classes.get(id))).toEqual(open.map(() => planted));
        }
        const known = new Set(given.breaks.flatMap(({ anyOf }) => anyOf));
        expect([...classes.keys()].filter((id) => !known.has(id))).toEqual([]);
      }),
      { numRuns: runsOf(600) },
    );
    expect(counts.found).toBe(counts.planted);
    expect(counts.right).toBe(counts.planted);
    expect(counts.planted).toBeGreaterThan(0);
  });

  test("match no line twice, and split both sides exactly into matched and open", () => {
    fc.assert(
      fc.property(books(STORIES, { areReferencesShared: true }), (given) => {
        const { matches, proposals, open } = reconcile(given);
        const groups = [...matches, ...proposals];
        const ids = groups.flatMap(({ left, right }) => [...left, ...right]);
        expect(new Set(ids).size).toBe(ids.length);
        const byId = new Map(given.lines.map((line) => [line.id, line]));
        for (const { left, right } of groups) {
          expect(left.every((id) => byId.get(id)?.side === "left")).toBe(true);
          expect(right.every((id) => byId.get(id)?.side === "right")).toBe(true);
        }
        const matched = new Set(matches.flatMap(({ left, right }) => [...left, ...right]));
        const openIds = new Set(open.map(({ id }) => id));
        for (const { id } of given.lines) expect(matched.has(id)).not.toBe(openIds.has(id));
        for (const { left, right, pass } of matches) {
          if (pass.amount.kind !== "equal") continue;
          const sum = (some: readonly number[]): bigint =>
            some.reduce((total, id) => total + (byId.get(id)?.amount ?? 0n), 0n);
          expect(sum(left)).toBe(sum(right));
        }
      }),
      { numRuns: runsOf(600) },
    );
  });

  test("leave what several combinations fit as a proposal", () => {
    const line = { day: TODAY - 30, amount: 500n, asset: "EUR/2", fee: undefined };
    const lines = [
      { ...line, id: 1, side: "left" as const, texts: { text: "one" } },
      { ...line, id: 2, side: "left" as const, texts: { text: "other" } },
      { ...line, id: 3, side: "right" as const, texts: {} },
    ];
    const { matches, proposals, open } = matchInMemory(DEFAULT_PASSES, lines, 50);
    expect(matches).toEqual([]);
    expect(proposals).toMatchObject([{ left: [1, 2], right: [3], isAmbiguous: true }]);
    expect(open).toHaveLength(3);
  });
});
