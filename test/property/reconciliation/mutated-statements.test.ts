import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { STATEMENT_FORMATS } from "#modules/reconciliation/core/statements/index.ts";
import { assert } from "#platform/assert.ts";
import { judgeReading } from "#test/support/reconciliation/judge-reading.ts";
import { mutate, mutations } from "#test/support/reconciliation/mutations.ts";
import { describeReading, fixturesOf, readAll } from "#test/support/reconciliation/statements.ts";
import { runsOf } from "#test/support/runner/runs.ts";

/** The runs of each format, and the share of them that `npm test` makes. */
const RUNS = 100_000;
const SHARE = 1 / 400;

describe.each(STATEMENT_FORMATS)("damaged files of %s", (format) => {
  it("give an error at its place, or amounts that stand in the file and balances that agree", async () => {
    const fixtures = fixturesOf(format);
    const property = fc.asyncProperty(
      fc.nat(fixtures.length - 1),
      mutations,
      fc.integer({ min: 1, max: 200 }),
      async (index, changes, chunkSize) => {
        const fixture = fixtures[index];
        assert(fixture !== undefined, "the index is one of a fixture");
        const { options } = fixture;
        const bytes = changes.reduce(mutate, new Uint8Array(fixture.bytes));
        const reading = await readAll(format, { bytes, options });
        judgeReading(reading, { format, bytes, options });
        const chunked = await readAll(format, { bytes, options, chunkSize });
        expect(describeReading(chunked)).toBe(describeReading(reading));
      },
    );
    await fc.assert(property, { numRuns: runsOf(RUNS, SHARE) });
  });
});
