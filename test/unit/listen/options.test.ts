import { describe, expect, test } from "vitest";
import { parseOptions } from "#scripts/listen/options.ts";

const STANDARD = {
  types: ["*"],
  ledgers: [],
  forward: undefined,
  url: undefined,
  secret: undefined,
  json: false,
};
const SECRET = "V0bivxRWveaoz08afqjU6Ko/jwO0Cb+3";

describe("the options of listen", () => {
  test("the options of listen may be absent", () => {
    expect(parseOptions([])).toEqual(STANDARD);
  });

  test("the options of listen are read", () => {
    const line = `--types ledger.*,payments.x --types a.b --ledger shop,bank --forward http://localhost:3000/hook --secret ${SECRET} --url https://florin.example.com --json`;
    expect(parseOptions(line.split(" "))).toEqual({
      types: ["ledger.*", "payments.x", "a.b"],
      ledgers: ["shop", "bank"],
      forward: "http://localhost:3000/hook",
      url: "https://florin.example.com",
      secret: SECRET,
      json: true,
    });
  });

  test.each([
    ["--forward", "localhost"],
    ["--forward", "ftp://localhost"],
    ["--secret", "short"],
    ["--secret", SECRET.slice(4)],
    ["--type", "ledger.*"],
    ["ledger.*"],
  ])("the options of listen are refused with the usage: %s %s", (...args) => {
    expect(() => parseOptions(args.filter((arg) => arg !== undefined))).toThrow(
      "Usage: npm run listen",
    );
  });
});
