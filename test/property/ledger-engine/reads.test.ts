import * as fc from "fast-check";
import { describe, test } from "vitest";
import { assertReads } from "#test/support/ledger-engine/history/reads.ts";
import { runsOf } from "#test/support/runner/runs.ts";

/** The share of the queries that `npm test` makes: a history takes longer to make than some dozens of queries of it. */
const SHARE = 1 / 8;

/** A new seed for each run, which a failure reports. */
const randomSeed = (): number => fc.sample(fc.nat(), { numRuns: 1 })[0] ?? 0;

describe("every read of a ledger equals a naive filter over its history", () => {
  test("every read of a ledger with all features equals a naive filter over its history", () => {
    assertReads({ seed: randomSeed(), queries: runsOf(350, SHARE) });
    assertReads({ seed: randomSeed(), queries: runsOf(350, SHARE) });
  });

  test("every read of a ledger without effective volumes and history of metadata equals a naive filter", () => {
    assertReads({
      seed: randomSeed(),
      features: {
        MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "DISABLED",
        ACCOUNT_METADATA_HISTORY: "DISABLED",
        TRANSACTION_METADATA_HISTORY: "DISABLED",
      },
      queries: runsOf(200, SHARE),
    });
  });

  test("every read of a ledger without history of moves and hashes equals a naive filter over its history", () => {
    assertReads({
      seed: randomSeed(),
      features: { MOVES_HISTORY: "OFF", HASH_LOGS: "DISABLED" },
      queries: runsOf(200, SHARE),
    });
  });
});
