import { describe, expect, it } from "vitest";
import { readOptions } from "#bench/options.ts";

const NAMES = ["single-random", "single-hot", "account"];

describe("the bench's options", () => {
  it("are 10,000 transactions and all cases by default", () => {
    const options = readOptions([], NAMES);
    expect(options).toMatchObject({ json: false, size: 10_000 });
    expect(NAMES.every(options.wants)).toBe(true);
  });

  it("pick cases by the beginning of their names", () => {
    const { wants } = readOptions(["--only", "single,account"], NAMES);
    expect(NAMES.every(wants)).toBe(true);
    expect(NAMES.filter(readOptions(["--only=single-h"], NAMES).wants)).toEqual(["single-hot"]);
  });

  it("take a size and JSON", () => {
    expect(readOptions(["--json", "--size", "1000000"], NAMES)).toMatchObject({
      json: true,
      size: 1_000_000,
    });
  });

  it.each([
    [["--only", "bulk"], "--only knows no case bulk"],
    [["--size", "many"], "--size is many"],
    [["--size", "10"], "--size is 10"],
    [["--fast"], "The bench takes --json"],
  ])("refuse %s", (args, message) => {
    expect(() => readOptions(args, NAMES)).toThrow(message);
  });
});
