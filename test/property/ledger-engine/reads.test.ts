import * as fc from "fast-check";
import { describe, test } from "vitest";
import { assertReads } from "#test/support/ledger-engine/history/reads.ts";
import { runsOf } from "#test/support/platform/runs.ts";

/** A new seed for each run. A failure reports it. */
const randomSeed = (): number => fc.sample(fc.nat(), { numRuns: 1 })[0] ?? 0;

describe("every read of a ledger equals a naive filter over its history", () => {
  test("with all features", () => {
    assertReads({ seed: randomSeed(), queries: runsOf(350) });
    assertReads({ seed: randomSeed(), queries: runsOf(350) });
  });

  test("without effective volumes and without history of metadata", () => {
    assertReads({
      seed: randomSeed(),
      features: {
        MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "DISABLED",
        ACCOUNT_METADATA_HISTORY: "DISABLED",
        TRANSACTION_METADATA_HISTORY: "DISABLED",
      },
      queries: runsOf(200),
    });
  });

  test("without history of moves, and without hashes", () => {
    assertReads({
      seed: randomSeed(),
      features: { MOVES_HISTORY: "OFF", HASH_LOGS: "DISABLED" },
      queries: runsOf(200),
    });
  });
});
