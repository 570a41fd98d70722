import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { breaksInMemory } from "#modules/reconciliation/core/breaks/in-memory.ts";
import {
  DEFAULT_PASSES,
  DEFAULT_THRESHOLD,
} from "#modules/reconciliation/core/matching/default-passes.ts";
import { matchInMemory } from "#modules/reconciliation/core/matching/in-memory.ts";
import type { OpenLine } from "#modules/reconciliation/core/matching/line.ts";
import type { NewLine } from "#modules/reconciliation/matchings/engine/put-lines.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { BY, openEngine } from "#test/support/reconciliation/engine.ts";
import { books, STORIES, TODAY } from "#test/support/reconciliation/planted-books.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const SETTINGS = {
  passes: DEFAULT_PASSES,
  threshold: DEFAULT_THRESHOLD,
  today: TODAY,
  timingDays: 2,
};

const toNew = ({ id, ...line }: OpenLine): NewLine => ({ ...line, sourceId: `line-${id}` });

interface GroupFacts {
  readonly state: string;
  readonly lines: string;
}

const groupsIn = (sql: NodeSql): readonly GroupFacts[] =>
  sql
    .all<{ state: string; left_lines: string; right_lines: string }>(
      "SELECT state, left_lines, right_lines FROM line_group",
    )
    .map(({ state, left_lines, right_lines }) => ({ state, lines: `${left_lines}=${right_lines}` }))
    .toSorted((one, other) => (one.lines < other.lines ? -1 : 1));

const breaksIn = (sql: NodeSql): ReadonlyMap<number, string | null> =>
  new Map(
    sql
      .all<{ id: number; break_class: string }>("SELECT id, break_class FROM line WHERE state <> 1")
      .map(({ id, break_class }) => [id, break_class]),
  );

describe("the engine of a matching", () => {
  test("finds what the passes find in memory, also when every other slice is cut off", () => {
    fc.assert(
      fc.property(
        fc.oneof(books(STORIES), books(STORIES, { areReferencesShared: true })),
        fc.integer({ min: 2, max: 5 }),
        ({ lines }, cutEvery) => {
          const sql = new CutSql(cutEvery);
          let engine = openEngine(sql);
          engine.start(SETTINGS, { from: 0, to: undefined }, BY);
          const page = { side: "left", lines: lines.map(toNew), isLast: true } as const;
          engine.collect({ ...page, position: undefined });
          engine.collect({ ...page, position: "end" });
          engine.collect({ side: "right", lines: [], position: "end", isLast: true });
          expect(engine.heads.find(1)?.collected).toEqual({ left: lines.length, right: 0 });
          expect(() => engine.start(SETTINGS, { from: 0, to: undefined }, BY)).toThrow(
            "has not ended yet",
          );
          for (let isMore = true; isMore;) {
            try {
              isMore = engine.work();
              sql.isCutting = true;
            } catch (error) {
              if (!(error instanceof CutOff)) throw error;
              sql.isCutting = false;
              engine = openEngine(sql);
            }
          }
          sql.isCutting = false;
          const { matches, proposals, open } = matchInMemory(
            DEFAULT_PASSES,
            lines,
            DEFAULT_THRESHOLD,
          );
          const wanted = [
            ...matches.map((group) => ({ ...group, state: "matched" })),
            ...proposals.map((group) => ({ ...group, state: "proposed" })),
          ].map(({ state, left, right }) => ({
            state,
            lines: `${JSON.stringify(left)}=${JSON.stringify(right)}`,
          }));
          expect(groupsIn(sql)).toEqual(
            wanted.toSorted((one, other) => (one.lines < other.lines ? -1 : 1)),
          );
          const undecided = new Set(proposals.flatMap(({ left, right }) => [...left, ...right]));
          const breaks = breaksInMemory({ lines, open, undecided, today: TODAY, timingDays: 2 });
          expect(breaksIn(sql)).toEqual(
            new Map([...breaks].map(([id, found]) => [id, found.class])),
          );
          expect(engine.heads.find(1)).toMatchObject({
            state: "done",
            phase: "",
            matched: matches.length,
            proposed: proposals.length,
            open: open.length,
          });
          sql.close();
        },
      ),
      { numRuns: runsOf(150) },
    );
  });
});

class CutOff extends Error {}

/** A database whose transactions fail at a random statement, every so many times. */
class CutSql extends NodeSql {
  isCutting = false;
  readonly #every: number;
  #statements = 0;

  constructor(every: number) {
    super();
    this.#every = every * 7;
  }

  override all<Row extends Record<string, string | number | null>>(
    statement: string,
    ...bindings: readonly (string | number | null)[]
  ): Row[] {
    this.#statements += 1;
    if (this.isCutting && this.#statements % this.#every === 0) throw new CutOff();
    return super.all(statement, ...bindings);
  }
}
