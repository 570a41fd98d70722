import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LedgerEngine } from "#ledger-engine/engine.ts";
import type { Command } from "#ledger-engine/rules/types.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { fromMicros, type Timestamp, toMicros } from "#platform/time.ts";
import {
  at,
  create,
  deleteMetadata,
  dumpOf,
  element,
  INFO,
  posting,
  revert,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { audited } from "#test/support/ledger-engine/in-node.ts";
import { exportOf, importInto, linesOf } from "#test/support/ledger-engine/logs.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const START = toMicros(at("10:00"));
const HALF_SECOND = 500_000n;
const secondsFrom = (halves: number): Timestamp => fromMicros(START + BigInt(halves) * HALF_SECOND);

/** A ledger whose clock advances by a second at each reading. */
function tickingLedger(): { engine: LedgerEngine; sql: NodeSql } {
  const sql = new NodeSql();
  let asked = 0;
  LedgerEngine.create(sql, INFO);
  return { sql, engine: new LedgerEngine(sql, () => secondsFrom(2 * ++asked)) };
}

/** Few names, and dates around those of the log, so that most commands read the latest writes. */
const name = fc.constantFrom("a", "b", "c", "world");
const asset = fc.constantFrom("USD", "USD", "EUR/2");
const transactionId = fc.integer({ min: 1, max: 20 });
const key = fc.constantFrom("k", "l");
const posted = fc
  .tuple(name, name, fc.integer({ min: 0, max: 9 }), asset)
  .map(([from, to, amount, of]) => posting(`${from} -> ${to}`, amount, of));
const creation = fc
  .record({
    postings: fc.array(posted, { minLength: 1, maxLength: 3 }),
    date: fc.option(fc.integer({ min: -5, max: 60 }), { nil: undefined }),
    metadata: fc.dictionary(key, fc.constantFrom("v", "w"), { maxKeys: 1 }),
    reference: fc.option(fc.constantFrom("r1", "r2", "r3"), { freq: 4, nil: undefined }),
  })
  .map(({ postings, date, metadata, reference }) =>
    create(postings, {
      force: true,
      metadata,
      ...(date === undefined ? {} : { timestamp: secondsFrom(date) }),
      ...(reference === undefined ? {} : { reference }),
    }),
  );
const target = fc.oneof(transactionId, name);
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: creation },
  fc
    .tuple(transactionId, fc.boolean())
    .map(([id, atEffectiveDate]) => revert(id, { atEffectiveDate, force: true })),
  fc.tuple(target, key, fc.constantFrom("v", "w")).map(([of, k, v]) => setMetadata(of, { [k]: v })),
  fc.tuple(target, key).map(([of, k]) => deleteMetadata(of, k)),
);

const BULK = { atomic: false, continueOnFailure: true };

function importedInParts(lines: readonly string[], size: number): TestLedger {
  const copy = new TestLedger();
  for (let from = 0; from < lines.length; from += size) {
    const part = lines.slice(from, from + size);
    expect(importInto(copy, part)).toEqual({ taken: part.length });
  }
  return copy;
}

test("commands make the same rows one by one, in bulks, and when their log is imported in parts", () => {
  const property = fc.property(
    fc.array(command, { minLength: 1, maxLength: 40 }),
    fc.integer({ min: 1, max: 40 }),
    (commands, size) => {
      const single = tickingLedger();
      const bulked = tickingLedger();
      for (const item of commands) single.engine.executeBulk([element(item)], BULK);
      for (let from = 0; from < commands.length; from += size) {
        const part = commands.slice(from, from + size).map((item) => element(item));
        bulked.engine.executeBulk(part, BULK);
      }
      expect(dumpOf(bulked.sql)).toBe(dumpOf(single.sql));
      const lines = linesOf(exportOf(single));
      const copy = importedInParts(lines, size);
      expect(linesOf(exportOf(copy))).toEqual(lines);
      expect(copy.dump()).toBe(importedInParts(lines, 1).dump());
      expect(audited(copy).differences).toEqual([]);
    },
  );
  fc.assert(property, { numRuns: runsOf(60) });
});
