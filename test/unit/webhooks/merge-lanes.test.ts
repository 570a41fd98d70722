import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toDeliveryId } from "#modules/webhooks/core/delivery-id.ts";
import type { DeliveryQuery, DeliveryRecord } from "#modules/webhooks/core/lane.ts";
import { mergeLanes } from "#modules/webhooks/services/merge-lanes.ts";
import { present } from "#platform/assert.ts";

type Order = DeliveryQuery["order"];

const configIdOf = (lane: number): string =>
  `${lane.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;

const recordOf = (configId: string, seq: number, createdMs: number): DeliveryRecord => ({
  id: toDeliveryId(configId, seq),
  seq,
  configId,
  eventId: `${seq}`,
  idempotencyKey: "",
  eventType: "a.b",
  status: "failed",
  attemptCount: 1,
  replayGeneration: 0,
  createdMs,
  updatedMs: createdMs,
});

const comparing =
  (order: Order) =>
  (a: DeliveryRecord, b: DeliveryRecord): number =>
    (order === "asc" ? 1 : -1) * (a.createdMs - b.createdMs || (a.id < b.id ? -1 : 1));

/** Lanes with deliveries of the given dates, which count the rows of their answers. */
class FakeLanes {
  readonly #lanes = new Map<string, DeliveryRecord[]>();
  /** The number of rows in all answers, and the most rows in the answers of calls under way. */
  answered = 0;
  heldMax = 0;
  #held = 0;

  constructor(dates: readonly (readonly number[])[]) {
    for (const [lane, created] of dates.entries()) {
      const id = configIdOf(lane);
      const sorted = created.toSorted((a, b) => a - b);
      this.#lanes.set(
        id,
        sorted.map((createdMs, index) => recordOf(id, index + 1, createdMs)),
      );
    }
  }

  get ids(): string[] {
    return [...this.#lanes.keys()];
  }

  async list(id: string, query: DeliveryQuery): Promise<DeliveryRecord[]> {
    const rows = select(present(this.#lanes.get(id), "a lane of the test"), query);
    this.answered += rows.length;
    this.#held += rows.length;
    this.heldMax = Math.max(this.heldMax, this.#held);
    await Promise.resolve();
    this.#held -= rows.length;
    return rows;
  }

  merge(query: DeliveryQuery): Promise<DeliveryRecord[]> {
    return mergeLanes(this.ids, query, (id, part) => this.list(id, part));
  }

  /** The expected merged list, from a scan of all deliveries. */
  naive(query: DeliveryQuery): DeliveryRecord[] {
    return select([...this.#lanes.values()].flat(), query);
  }
}

function select(rows: readonly DeliveryRecord[], query: DeliveryQuery): DeliveryRecord[] {
  const { fromMs = -Infinity, toMs = Infinity, after, order, limit } = query;
  const compare = comparing(order);
  return rows
    .filter(({ createdMs }) => createdMs >= fromMs && createdMs <= toMs)
    .filter((row) => after === undefined || compare(row, { ...row, ...after }) > 0)
    .filter(({ id }) => id !== after?.id)
    .toSorted(compare)
    .slice(0, limit);
}

describe("the merged list of many lanes", () => {
  test("the merged list of many lanes is what a list of everything would be", async () => {
    const cases = fc.record({
      created: fc.array(fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 40 }), {
        maxLength: 30,
      }),
      order: fc.constantFrom<Order>("asc", "desc"),
      limit: fc.integer({ min: 1, max: 50 }),
      border: fc.integer({ min: 0, max: 30 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ created, order, limit, border }) => {
        const lanes = new FakeLanes(created);
        const query = {
          order,
          limit,
          ...(order === "asc" ? { toMs: border } : { fromMs: border }),
        };
        const first = await lanes.merge(query);
        expect(first).toEqual(lanes.naive(query));
        const last = first.at(-1);
        if (last === undefined) return;
        const next = { ...query, after: { createdMs: last.createdMs, id: last.id } };
        expect(await lanes.merge(next)).toEqual(lanes.naive(next));
      }),
    );
  });

  test.each<Order>(["asc", "desc"])(
    "the merged list of many lanes holds few rows of 500 full lanes, %s",
    async (order) => {
      const created = Array.from({ length: 500 }, (_, lane) =>
        Array.from({ length: 300 }, (_row, index) => lane + index * 500),
      );
      const lanes = new FakeLanes(created);
      const query = { order, limit: 1001 };
      const found = await lanes.merge(query);
      expect(found.map(({ id }) => id)).toEqual(lanes.naive(query).map(({ id }) => id));
      expect(lanes.heldMax).toBeLessThanOrEqual(4800);
      // Once the page has enough rows, a lane is asked for few rows.
      expect(lanes.answered).toBeLessThan(50_000);
    },
  );

  test("the merged list of many lanes asks a single lane once", async () => {
    const lanes = new FakeLanes([Array.from({ length: 1500 }, (_, index) => index)]);
    expect(await lanes.merge({ order: "desc", limit: 1001 })).toHaveLength(1001);
    expect(lanes.answered).toBe(1001);
  });

  test("the merged list of many lanes fails where a lane fails", async () => {
    const lanes = new FakeLanes([[1], [2], [3]]);
    const failing = mergeLanes(lanes.ids, { order: "asc", limit: 10 }, async (id, query) => {
      if (id === lanes.ids[1]) throw new Error("away");
      return lanes.list(id, query);
    });
    await expect(failing).rejects.toThrow("away");
  });
});
