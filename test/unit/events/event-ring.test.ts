import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventRing, isGap, type LiveEvent } from "#modules/events/core/event-ring.ts";

const eventOf = (id: string, body = "{}"): LiveEvent => ({
  id,
  name: "ledger.saved_metadata",
  ledger: undefined,
  body,
});

const LARGE = { entries: 1000, length: 1_000_000 };

function ringWith(ids: readonly string[], limits = LARGE, before = 0): EventRing {
  const ring = new EventRing(before, limits);
  ring.add(ids.map((id) => eventOf(id)));
  ring.show(ring.last);
  return ring;
}

const idsAfter = (ring: EventRing, sequence: number): string[] =>
  [...ring.after(sequence)].map(({ item }) => (isGap(item) ? `gap ${item.reason}` : item.id));

describe("a ring", () => {
  test("a ring of events numbers its entries and gives those after one of them", () => {
    const ring = ringWith(["a", "b", "c"], LARGE, 7);
    expect([...ring.after(7)].map(({ sequence }) => sequence)).toEqual([8, 9, 10]);
    expect(idsAfter(ring, 8)).toEqual(["b", "c"]);
    expect(idsAfter(ring, 10)).toEqual([]);
  });

  test("a ring of events takes an event once, as long as it knows its id", () => {
    const ring = ringWith(["a", "b"], { ...LARGE, entries: 2 });
    expect(ring.add([eventOf("b"), eventOf("c"), eventOf("c")])).toHaveLength(1);
    expect(ring.add([eventOf("a")])).toHaveLength(1);
  });

  test("a ring of events takes every gap", () => {
    const ring = ringWith([]);
    ring.add([{ reason: "x" }, { reason: "x" }]);
    ring.show(ring.last);
    expect(idsAfter(ring, 0)).toEqual(["gap x", "gap x"]);
  });

  test("a ring of events shows what it is told to", () => {
    const ring = ringWith(["a"]);
    ring.add([eventOf("b"), eventOf("c")]);
    expect(idsAfter(ring, 0)).toEqual(["a"]);
    ring.show(2);
    expect(idsAfter(ring, 0)).toEqual(["a", "b"]);
    expect(ring.positionAfter(undefined)).toEqual({ sequence: 2, gap: undefined });
  });

  test("a ring of events keeps the newest entry, however long it is", () => {
    const ring = ringWith(["a", "b"]);
    const small = ringWith(["a"], { entries: 10, length: 10 });
    small.add([eventOf("b", "x".repeat(100))]);
    small.show(small.last);
    expect(idsAfter(small, small.floor)).toEqual(["b"]);
    expect(idsAfter(ring, 0)).toEqual(["a", "b"]);
  });
});

describe("a reader that comes again", () => {
  const ring = ringWith(["a", "b", "c", "d"], { ...LARGE, entries: 2 }, 10);

  test("a reader that comes again goes on where it was, if nothing after that is gone", () => {
    expect(ring.positionAfter("12")).toEqual({ sequence: 12, gap: undefined });
    expect(ring.positionAfter("14")).toEqual({ sequence: 14, gap: undefined });
  });

  test.each(["0", "10", "11", "15", "99", "x", "9".repeat(16)])(
    "a reader that comes again with the id %s gets what is there, and hears of a gap",
    (id) => {
      const { sequence, gap } = ring.positionAfter(id);
      expect(gap).toContain(`the id ${id} `);
      expect(idsAfter(ring, sequence)).toEqual(["c", "d"]);
    },
  );
});

test("a ring of any limits has the newest entries, in order and without a hole", () => {
  const batches = fc.array(fc.array(fc.nat(20), { maxLength: 6 }), { maxLength: 20 });
  const limits = fc.record({ entries: fc.integer({ min: 1, max: 8 }), length: fc.nat(2000) });
  fc.assert(
    fc.property(batches, limits, (given, limits) => {
      const ring = new EventRing(0, limits);
      const model: string[] = [];
      for (const batch of given) {
        for (const { item } of ring.add(batch.map((id) => eventOf(String(id))))) {
          if (!isGap(item)) model.push(item.id);
        }
        ring.show(ring.last);
        const kept = idsAfter(ring, ring.floor);
        expect(kept).toEqual(model.slice(model.length - kept.length));
        expect(new Set(kept).size).toBe(kept.length);
        expect(ring.last).toBe(model.length);
        expect(kept.length).toBe(ring.last - ring.floor);
        expect(kept.length).toBeLessThanOrEqual(limits.entries);
        if (model.length > 0) expect(kept.length).toBeGreaterThan(0);
      }
    }),
  );
});
