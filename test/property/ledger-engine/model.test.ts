import { expect, test } from "vitest";
import { checkRuns } from "#test/support/ledger-engine/in-node.ts";
import { runsOf } from "#test/support/runner/runs.ts";

test("the engine agrees with the naive model on any sequence of writes, and with its own log", async () => {
  expect(await checkRuns({ runs: runsOf(430), stepsMax: 30 })).toBeGreaterThan(runsOf(3000));
});
