import * as fc from "fast-check";
import { test } from "vitest";
import type { Features } from "#ledger-engine/rules/types.ts";
import { assertReads } from "#test/support/ledger-engine/history/reads.ts";

const QUERIES = 50_000;
const QUERIES_PER_LEDGER = 1000;
/** A limit several times the duration of the test on a slow machine. */
const TIMEOUT_MS = 21_600_000;

/** Features of a ledger. Every second ledger has all features. */
const features: fc.Arbitrary<Partial<Features>> = fc.oneof(
  fc.constant({}),
  fc.record({
    ACCOUNT_METADATA_HISTORY: fc.constantFrom("SYNC", "DISABLED"),
    HASH_LOGS: fc.constantFrom("SYNC", "ASYNC", "DISABLED"),
    MOVES_HISTORY: fc.constantFrom("ON", "ON", "OFF"),
    MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: fc.constantFrom("SYNC", "DISABLED"),
    TRANSACTION_METADATA_HISTORY: fc.constantFrom("SYNC", "DISABLED"),
  }),
);

/** The number of further accounts and transactions. In one of five ledgers they are more than are read at a time. */
const crowd = fc.constantFrom(0, 0, 0, 0, 1500);

test(
  "every read of many ledgers equals a naive filter over their history, 50,000 times",
  () => {
    const numRuns = QUERIES / QUERIES_PER_LEDGER;
    const ledgers = fc.sample(fc.record({ seed: fc.nat(), features, crowd }), { numRuns });
    for (const ledger of ledgers) assertReads({ ...ledger, queries: QUERIES_PER_LEDGER });
  },
  TIMEOUT_MS,
);
