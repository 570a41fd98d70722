import { describe, expect, it } from "vitest";
import { compare, median } from "#bench/against/comparison.ts";

describe("a comparison of two checkouts", () => {
  it("a comparison of two checkouts takes the ratios within the pairs, because the machine changes from pair to pair", () => {
    const pairs = [100, 10, 40].map((speed) => ({
      before: { perSecond: speed },
      after: { perSecond: speed * 2 },
    }));
    expect(compare({ name: "account", clients: 16 }, pairs)).toEqual({
      name: "account",
      clients: 16,
      beforePerSecond: 40,
      afterPerSecond: 80,
      ratio: 2,
      ratioMin: 2,
      ratioMax: 2,
    });
  });

  it("a comparison of two checkouts counts less processor time as better", () => {
    const pair = {
      before: { perSecond: 10, cpuMicros: 300 },
      after: { perSecond: 5, cpuMicros: 200 },
    };
    const { ratio, cpuRatio } = compare({ name: "account" }, [pair]);
    expect({ ratio, cpuRatio }).toEqual({ ratio: 0.5, cpuRatio: 1.5 });
  });

  it("a comparison of two checkouts has the value in the middle as its median, or the mean of the two there", () => {
    expect(median([5, 1, 3])).toBe(3);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(() => median([])).toThrow("nothing was measured");
  });
});
