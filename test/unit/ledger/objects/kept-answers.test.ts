import { describe, expect, test } from "vitest";
import { KeptAnswers, keyOf } from "#modules/ledger/objects/kept-answers.ts";
import { ALL } from "#test/support/ledger-engine/fixtures.ts";

describe("kept answers", () => {
  test("are found until their log has a further entry", () => {
    const kept = new KeptAnswers();
    const log = { headLogId: 7 };
    expect(kept.find(log, "a")).toBeUndefined();
    kept.keep("a", "answer");
    expect(kept.find(log, "a")).toBe("answer");
    expect(kept.find(log, "b")).toBeUndefined();
    log.headLogId = 8;
    expect(kept.find(log, "a")).toBeUndefined();
    expect(kept.find(log, "a")).toBeUndefined();
  });

  test("are those of one log, whatever entry another one has come to", () => {
    const kept = new KeptAnswers();
    const log = { headLogId: 7 };
    kept.find(log, "a");
    kept.keep("a", "answer");
    expect(kept.find({ headLogId: 7 }, "a")).toBeUndefined();
    expect(kept.find(log, "a")).toBeUndefined();
  });

  test("make room for later ones, the first of them first", () => {
    const kept = new KeptAnswers(10);
    const log = { headLogId: 1 };
    for (const key of ["a", "b", "c"]) {
      kept.find(log, key);
      kept.keep(key, "1234");
    }
    expect(["a", "b", "c"].map((key) => kept.find(log, key))).toEqual([undefined, "1234", "1234"]);
    kept.keep("d", "x".repeat(10));
    expect(["b", "c", "d"].map((key) => kept.find(log, key))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    kept.keep("e", "1234");
    expect(kept.find(log, "e")).toBe("1234");
  });

  test("have a key for everything that was asked for", () => {
    const page = (fields: object) => ({
      name: "listAccounts" as const,
      args: [
        { ...ALL, ...fields },
        { volumes: false, effectiveVolumes: false },
      ],
      amounts: "integer" as const,
    });
    const calls = [
      page({}),
      { ...page({}), amounts: "text" as const },
      { ...page({}), name: "listTransactions" as const },
      page({ pageSize: 2 }),
      page({ where: '{"$match":{"address":"a"}}' }),
      page({ start: { value: 5n } }),
      page({ start: { value: "5" } }),
      page({ start: { value: '{"integer":"5"}' } }),
      page({ start: { value: 2n ** 60n } }),
      page({ start: { value: 2n ** 60n + 1n } }),
      page({ start: { value: 5n, tie: 1n } }),
    ];
    expect(new Set(calls.map(keyOf)).size).toBe(calls.length);
    expect(keyOf(page({ pit: undefined }))).toBe(keyOf(page({})));
  });
});
