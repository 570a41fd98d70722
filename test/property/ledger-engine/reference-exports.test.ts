import * as fc from "fast-check";
import { expect, test } from "vitest";
import { expectRoundTrip, referenceExport } from "#test/support/ledger-engine/reference-exports.ts";
import { runsOf } from "#test/support/runner/runs.ts";

test("an export of the reference's rules is imported, verified and exported again byte for byte", () => {
  let odd = 0;
  fc.assert(
    fc.property(referenceExport, (lines) => {
      odd += expectRoundTrip(lines);
    }),
    { numRuns: runsOf(40) },
  );
  expect(odd).toBeGreaterThan(0);
});
