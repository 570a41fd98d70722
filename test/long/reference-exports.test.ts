import * as fc from "fast-check";
import { expect, test } from "vitest";
import { expectRoundTrip, referenceExport } from "#test/support/ledger-engine/reference-exports.ts";

const EXPORTS = Number(process.env["REFERENCE_EXPORTS"] ?? 1000);
/** The limit is several times what the test takes on a slow machine. */
const TIMEOUT_MS = 3_600_000;

test(
  "a thousand exports of the reference's rules are imported, verified and exported again byte for byte",
  () => {
    let [odd, entries] = [0, 0];
    fc.assert(
      fc.property(referenceExport, (lines) => {
        odd += expectRoundTrip(lines);
        entries += lines.length;
      }),
      { numRuns: EXPORTS },
    );
    expect(odd).toBeGreaterThan(entries / 10);
  },
  TIMEOUT_MS,
);
