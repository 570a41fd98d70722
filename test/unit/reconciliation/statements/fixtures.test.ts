import { describe, expect, it } from "vitest";
import { STATEMENT_FORMATS } from "#modules/reconciliation/core/statements/index.ts";
import {
  describeReading,
  expectationPath,
  fixturesOf,
  readAll,
} from "#test/support/reconciliation/statements.ts";

describe.each(STATEMENT_FORMATS)("files of %s", (format) => {
  it("give what stands beside them", async () => {
    const readings: string[] = [];
    for (const { name, bytes, options } of fixturesOf(format))
      readings.push(`${name}\n${describeReading(await readAll(format, { bytes, options }))}\n`);
    await expect(readings.join("\n")).toMatchFileSnapshot(expectationPath(format));
  });

  it("give the same in whatever chunks they come", async () => {
    for (const { name, bytes, options } of fixturesOf(format)) {
      const whole = await readAll(format, { bytes, options });
      for (const chunkSize of [1, 7, 100])
        expect({ name, ...(await readAll(format, { bytes, options, chunkSize })) }).toEqual({
          name,
          ...whole,
        });
    }
  });
});
