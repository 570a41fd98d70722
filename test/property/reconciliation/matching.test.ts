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

  test("are precise and complete over all cases: figures at a fixed seed", () => {
    const groups = { made: 0, right: 0, planted: 0, found: 0 };
    const breaks = { told: 0, right: 0, planted: 0, found: 0 };
    const isIn = (name: string, wanted: ReadonlySet<string>): number => (wanted.has(name) ? 1 : 0);
    for (const haveTwins of [false, true]) {
      fc.assert(
        fc.property(books(STORIES, { haveTwins }), (given) => {
          const result = reconcile(given);
          const wanted = new Set(given.groups.map(({ left, right }) => nameOf(left, right)));
          const made = new Set(result.matches.map(({ left, right }) => nameOf(left, right)));
          groups.made += made.size;
          groups.planted += wanted.size;
          for (const name of made) groups.right += isIn(name, wanted);
          // What several combinations fit waits for a person, who is shown all of them.
          const proposed = new Set(
            result.proposals.flatMap(({ left, right }) => [...left, ...right]),
          );
          for (const { left, right } of given.groups) {
            const isShown = [...left, ...right].every((id) => proposed.has(id));
            groups.found += isShown ? 1 : isIn(nameOf(left, right), made);
          }
          // A twin may be the partner of what is missing, so that nothing tells whether there is a break.
          if (haveTwins) return;
          const classes = new Map([...result.breaks].map(([id, found]) => [id, found.class]));
          for (const { anyOf, class: planted } of given.breaks) {
            breaks.planted += 1;
            if (anyOf.some((id) => classes.get(id) === planted || proposed.has(id)))
              breaks.found += 1;
          }
          const planted = new Map(
            given.breaks.flatMap((of) => of.anyOf.map((id) => [id, of.class])),
          );
          for (const [id, found] of classes) {
            if (proposed.has(id)) continue;
            breaks.told += 1;
            if (planted.get(id) === found) breaks.right += 1;
          }
        }),
        { numRuns: runsOf(600), seed: 39 },
      );
    }
    const share = (part: number, whole: number): number => part / whole;
    const figures = {
      "precision of matches": share(groups.right, groups.made),
      "recall of matches": share(groups.found, groups.planted),
      "precision of breaks": share(breaks.right, breaks.told),
      "recall of breaks": share(breaks.found, breaks.planted),
    };
    const percent = (value: number) => `${(100 * value).toFixed(2)} %`;
    process.stdout.write(
      `${Object.entries(figures)
        .map(([name, value]) => `${name} ${percent(value)}`)
        .join(", ")}; ${groups.planted} groups, ${breaks.planted} breaks\n`,
    );
    expect(figures["precision of matches"]).toBeGreaterThanOrEqual(0.995);
    expect(figures["recall of matches"]).toBeGreaterThanOrEqual(0.99);
    expect(figures["precision of breaks"]).toBeGreaterThanOrEqual(0.995);
    expect(figures["recall of breaks"]).toBeGreaterThanOrEqual(0.99);
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
