import { describe, expect, it } from "vitest";
import { readOptions } from "#bench/options.ts";

const NAMES = ["single-random", "single-hot", "account"];

describe("the bench's options", () => {
  it("the bench's options are 10,000 transactions and all cases by default", () => {
    const options = readOptions([], NAMES);
    expect(options).toMatchObject({ json: false, size: 10_000 });
    expect(NAMES.every(options.wants)).toBe(true);
  });

  it("the bench's options pick cases by the beginning of their names", () => {
    const { wants } = readOptions(["--only", "single,account"], NAMES);
    expect(NAMES.every(wants)).toBe(true);
    expect(NAMES.filter(readOptions(["--only=single-h"], NAMES).wants)).toEqual(["single-hot"]);
  });

  it("the bench's options take a size and JSON", () => {
    expect(readOptions(["--json", "--size", "1000000"], NAMES)).toMatchObject({
      json: true,
      size: 1_000_000,
    });
  });

  it("the bench's options take the wish for profiles", () => {
    expect(readOptions([], NAMES).profile).toBe(false);
    expect(readOptions(["--profile"], NAMES).profile).toBe(true);
  });

  it("the bench's options take another checkout, which seven pairs of slices compare with this one", () => {
    expect(readOptions(["--against", "../before"], NAMES)).toMatchObject({
      against: "../before",
      pairs: 7,
    });
    expect(readOptions(["--pairs=3"], NAMES).pairs).toBe(3);
  });

  it("the bench's options pick reads inside a process by parts of their names", () => {
    expect(readOptions([], NAMES).reads).toBeUndefined();
    expect(readOptions(["--reads", "accounts none,balance>"], NAMES).reads).toEqual([
      "accounts none",
      "balance>",
    ]);
  });

  it.each([
    [["--only", "bulk"], "--only knows no case bulk"],
    [["--size", "many"], "--size is many"],
    [["--size", "10"], "--size is 10"],
    [["--pairs", "0"], "--pairs is 0. It takes an integer from 1 to 1000."],
    [["--fast"], "The bench takes --json"],
  ])("the bench's options refuse %s", (args, message) => {
    expect(() => readOptions(args, NAMES)).toThrow(message);
  });
});
