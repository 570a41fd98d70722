import { expect, test } from "vitest";
import { checkRuns } from "#test/support/ledger-engine/in-node.ts";

const COMMANDS = 1_000_000;
const RUNS_AT_ONCE = 2000;
/** A limit several times the duration of the test on a slow machine. */
const TIMEOUT_MS = 21_600_000;

test(
  "the engine agrees with the naive model over a million commands",
  async () => {
    let commands = 0;
    while (commands < COMMANDS) {
      commands += await checkRuns({ runs: RUNS_AT_ONCE, stepsMax: 50 });
    }
    expect(commands).toBeGreaterThanOrEqual(COMMANDS);
  },
  TIMEOUT_MS,
);
