import * as fc from "fast-check";
import { expect, test } from "vitest";
import { toLogView } from "#modules/ledger/wire/views.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { ALL, TestLedger } from "#test/support/ledger-engine/fixtures.ts";
import { audited, underTest } from "#test/support/ledger-engine/in-node.ts";
import { copyOf, exportOf, linesOf } from "#test/support/ledger-engine/logs.ts";
import { checkAgainstModel } from "#test/support/ledger-engine/model/agreement.ts";
import { steps } from "#test/support/ledger-engine/model/steps.ts";
import { runsOf } from "#test/support/runner/runs.ts";

test("a ledger that was exported and imported is the same, and its export has the items of its list", async () => {
  const property = fc.asyncProperty(steps(20), async (run) => {
    const ledger = new TestLedger();
    await checkAgainstModel(underTest(ledger), run);
    const text = exportOf(ledger);
    const listed = ledger.engine.reads.listLogs(ALL).data.map(toLogView);
    // The members of charts have another order in the list.
    expect(linesOf(text).map(parseJson)).toEqual(
      listed.map((view) => parseJson(stringifyJson(view))),
    );
    const copy = copyOf(ledger);
    expect(exportOf(copy)).toBe(text);
    expect(copy.transactions()).toEqual(ledger.transactions());
    expect(copy.accounts()).toEqual(ledger.accounts());
    expect(audited(copy).differences).toEqual([]);
  });
  await fc.assert(property, { numRuns: runsOf(50) });
});
