import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LANE_TABLES } from "#modules/webhooks/lane/lane-tables.ts";
import { ReceivedRanges } from "#modules/webhooks/lane/received-ranges.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";

test("each entry is new once, whatever ranges come in whatever order, and few ranges are kept", () => {
  const range = fc
    .tuple(fc.nat(60), fc.nat(12))
    .map(([first, length]) => ({ first, last: first + length }));
  const step = fc.tuple(fc.integer({ min: 1, max: 2 }), range);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const sql = new NodeSql();
      LANE_TABLES.migrateToEnd(sql);
      const ranges = new ReceivedRanges(sql);
      const known = new Set<string>();
      for (const [origin, { first, last }] of steps) {
        const expected: number[] = [];
        for (let id = first; id <= last; id++) {
          if (!known.has(`${origin}:${id}`)) expected.push(id);
          known.add(`${origin}:${id}`);
        }
        const fresh = ranges.add(origin, { first, last });
        const found = fresh.flatMap((part) =>
          Array.from({ length: part.last - part.first + 1 }, (_, index) => part.first + index),
        );
        expect(found).toEqual(expected);
      }
      const gaps = [1, 2].flatMap((origin) =>
        Array.from({ length: 80 }, (_, id) => id).filter(
          (id) => known.has(`${origin}:${id}`) && !known.has(`${origin}:${id - 1}`),
        ),
      );
      expect(sql.all("SELECT 1 AS one FROM received")).toHaveLength(gaps.length);
      sql.close();
    }),
  );
});
