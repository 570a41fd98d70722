import { describe, expect, test } from "vitest";
import { KeptAnswers } from "#modules/ledger/objects/kept-answers.ts";

describe("kept answers", () => {
  test("kept answers are found until their log has a further entry", () => {
    const kept = new KeptAnswers();
    const log = { headLogId: 7 };
    const version = kept.versionOf(log);
    expect(kept.find("a")).toBeUndefined();
    kept.keep("a", "answer");
    expect(kept.versionOf(log)).toBe(version);
    expect(kept.find("a")).toBe("answer");
    expect(kept.find("b")).toBeUndefined();
    log.headLogId = 8;
    expect(kept.versionOf(log)).not.toBe(version);
    expect(kept.find("a")).toBeUndefined();
  });

  test("kept answers are those of one log, whatever entry another one has come to", () => {
    const kept = new KeptAnswers();
    const log = { headLogId: 7 };
    const version = kept.versionOf(log);
    kept.keep("a", "answer");
    expect(kept.versionOf({ headLogId: 7 })).not.toBe(version);
    expect(kept.find("a")).toBeUndefined();
    expect(kept.versionOf(log)).not.toBe(version);
    expect(kept.find("a")).toBeUndefined();
    expect(new KeptAnswers().versionOf(log)).not.toBe(kept.versionOf(log));
  });

  test("kept answers make room for later ones, the first of them first", () => {
    const kept = new KeptAnswers(10);
    kept.versionOf({ headLogId: 1 });
    for (const key of ["a", "b", "c"]) kept.keep(key, "1234");
    expect(["a", "b", "c"].map((key) => kept.find(key))).toEqual([undefined, "1234", "1234"]);
    kept.keep("d", "x".repeat(10));
    expect(["b", "c", "d"].map((key) => kept.find(key))).toEqual([undefined, undefined, undefined]);
    kept.keep("e", "1234");
    expect(kept.find("e")).toBe("1234");
  });
});
