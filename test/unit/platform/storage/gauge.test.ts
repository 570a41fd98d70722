import { expect, test, vi } from "vitest";
import { type Measurement, SizeGauge } from "#platform/storage/gauge.ts";

const DAY = 86_400_000;

/** An object that is measured, with a clock and a size of its own. */
class MeasuredObject {
  nowMs = 1_000_000 * DAY;
  bytes = 0;
  isFailing = false;
  readonly kept: number[] = [];
  #stored: Measurement | undefined;
  #gauge = this.#open();

  #open(): SizeGauge {
    return new SizeGauge({
      nowMs: () => this.nowMs,
      bytes: () => this.bytes,
      kept: {
        read: () => this.#stored,
        write: (measured) => {
          this.#stored = measured;
        },
      },
      keep: async (_name: string, { bytes }: Measurement) => {
        if (this.isFailing) throw new Error("D1 is down");
        this.kept.push(bytes);
      },
    });
  }

  evict(): void {
    this.#gauge = this.#open();
  }

  async lookAfter(ms: number, bytes: number): Promise<void> {
    this.nowMs += ms;
    this.bytes = bytes;
    await this.#gauge.look("main");
  }
}

test("a small object is stored when it has grown by a quarter, also where it is evicted in between", async () => {
  const object = new MeasuredObject();
  for (let bytes = 900_000; bytes < 400_000_000; bytes = Math.ceil(bytes * 1.01)) {
    await object.lookAfter(600_000, bytes);
    object.evict();
    await object.lookAfter(1, bytes);
  }
  expect(object.kept[0]).toBeGreaterThanOrEqual(1_000_000);
  // The logarithm of 400 to the base 1.25 is 26.9.
  expect(object.kept.length).toBeGreaterThan(20);
  expect(object.kept.length).toBeLessThanOrEqual(32);
});

test("a small object that changes is stored once a day, and one that does not change once", async () => {
  const object = new MeasuredObject();
  await object.lookAfter(0, 2_000_000);
  await object.lookAfter(DAY - 1, 2_100_000);
  expect(object.kept).toEqual([2_000_000]);
  await object.lookAfter(600_000, 2_100_000);
  await object.lookAfter(3 * DAY, 2_100_000);
  expect(object.kept).toEqual([2_000_000, 2_100_000]);
});

test("a large object is stored every ten minutes", async () => {
  const object = new MeasuredObject();
  for (let minute = 0; minute < 60; minute++) await object.lookAfter(60_000, 600_000_000);
  expect(object.kept).toHaveLength(6);
});

test("a size that could not be stored is measured again ten minutes later", async () => {
  const logged = vi.spyOn(console, "warn").mockReturnValue(undefined);
  const object = new MeasuredObject();
  object.isFailing = true;
  await object.lookAfter(0, 2_000_000);
  expect(logged).toHaveBeenCalledOnce();
  object.isFailing = false;
  await object.lookAfter(599_999, 2_000_000);
  expect(object.kept).toEqual([]);
  await object.lookAfter(1, 2_000_000);
  expect(object.kept).toEqual([2_000_000]);
});
