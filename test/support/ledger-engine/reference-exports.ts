import * as fc from "fast-check";
import { expect } from "vitest";
import { at, TestLedger } from "./fixtures.ts";
import { audited } from "./in-node.ts";
import { exportOf, linesOf } from "./logs.ts";
import { type ReferenceCommit, ReferenceLog, type ReferenceQuery } from "./reference-log.ts";

/*
 * Random exports by the rules of Formance Ledger v2, with entries that a write of this server would refuse: null as metadata,
 * any text as an account on the metadata routes, parameters of queries in any order, and values beyond the limits of writes.
 */

const LONG = `long:${"x".repeat(300)}`;
/** Accounts of postings, of which the last is longer than a write may name. */
const account = fc.constantFrom(
  "world",
  "world",
  "a",
  "b",
  "users:1",
  "10",
  "9",
  "__proto__",
  LONG,
);
const odd = fc.constantFrom(
  "",
  " ",
  "a b",
  "a:",
  ":a",
  "a::b",
  'é:"x"',
  "<&>",
  "日本 \u2028",
  "😀",
  "\ue000",
);
const anyText = fc
  .string({ unit: "grapheme", maxLength: 12 })
  .filter(
    (text) => !/[\u{10FFFF}]/u.test(text) && !text.includes("\u0000") && !text.includes("\u0001"),
  );
/** Accounts that the metadata routes accept. */
const target = fc.oneof(
  { weight: 3, arbitrary: account },
  { weight: 2, arbitrary: odd },
  { weight: 1, arbitrary: anyText },
);

const key = fc.constantFrom("k", "l", "10", "9", "", "<&>", "é", "__proto__");
const value = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom("v", "", '"', "\\", "<b>&\u2028", "日本", "\b\f\n\r\t\u001f\u007f"),
  },
  { weight: 1, arbitrary: fc.constant("v".repeat(40_000)) },
);
const metadata = fc
  .array(fc.tuple(key, value), { maxLength: 3 })
  .map((pairs) => Object.fromEntries(pairs));
const nullable = fc.option(metadata, { freq: 4, nil: null });

const amount = fc.oneof(
  fc.bigInt({ min: 0n, max: 9n }),
  fc.bigInt({ min: 2n ** 53n - 5n, max: 2n ** 70n }),
);
const posting = fc.record({
  source: account,
  destination: account,
  amount,
  asset: fc.constantFrom("USD", "USD", "EUR/2", "A10", "A9"),
});

const commit: fc.Arbitrary<ReferenceCommit> = fc.record(
  {
    postings: fc.oneof(
      { weight: 9, arbitrary: fc.array(posting, { minLength: 1, maxLength: 4 }) },
      // More postings than a write may have. With the longest names, they would also be too large for an import.
      {
        weight: 1,
        arbitrary: posting.map((one) =>
          Array.from({ length: 5001 }, () => ({ ...one, source: "world", destination: "a" })),
        ),
      },
    ),
    metadata,
    secondsBefore: fc.constantFrom(0, 0, 0, 1, 3, 1000),
    reference: fc.constantFrom("", "", "r", "<&>", "é", "r".repeat(2000)),
    accountMetadata: fc
      .array(fc.tuple(target, nullable), { maxLength: 3 })
      .map((pairs) => Object.fromEntries(pairs)),
  },
  { requiredKeys: ["postings"] },
);

/** The parameters of queries, each with a value. */
const PARAMS = {
  endTime: '"2026-01-01T00:00:00Z"',
  expand: '["volumes","<"]',
  pageSize: "3",
  resource: '"logs"',
  sort: '"id:asc"',
  startTime: "null",
};
const query: fc.Arbitrary<ReferenceQuery> = fc
  .shuffledSubarray(Object.entries(PARAMS), { maxLength: 4 })
  .map((params) => ({ resource: "logs", params }));
const queries = fc.dictionary(fc.constantFrom("q", "r", "10", "9", "<"), query, { maxKeys: 2 });

/** A change of the log. A change of a transaction, or with a key, chooses an existing one. */
const change: fc.Arbitrary<(log: ReferenceLog) => void> = fc.oneof(
  { weight: 5, arbitrary: commit.map((made) => (log: ReferenceLog) => commitOnce(log, made)) },
  {
    weight: 4,
    arbitrary: fc.tuple(target, nullable).map(
      ([id, given]) =>
        (log: ReferenceLog) =>
          log.setMetadata(id, given),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(target, key).map(
      ([id, name]) =>
        (log: ReferenceLog) =>
          log.deleteMetadata(id, name),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(), metadata).map(([choice, given]) => (log: ReferenceLog) => {
      const chosen = choose(log.transactions, choice);
      if (chosen !== undefined) log.setMetadata(chosen.id, given);
    }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(), fc.nat()).map(([choice, which]) => (log: ReferenceLog) => {
      const chosen = choose(log.transactions, choice);
      const name = choose(log.keysOf(chosen?.id ?? 0), which);
      if (chosen !== undefined && name !== undefined) log.deleteMetadata(chosen.id, name);
    }),
  },
  {
    weight: 2,
    arbitrary: fc.nat().map((choice) => (log: ReferenceLog) => {
      const left = log.transactions.filter(({ isReverted }) => !isReverted);
      const chosen = choose(left, choice);
      if (chosen !== undefined) log.revert(chosen.id);
    }),
  },
  {
    weight: 2,
    arbitrary: queries.map((given) => (log: ReferenceLog) => {
      log.insertSchema(`v${log.lines.length}`, given);
    }),
  },
);

/** Commits a transaction, without its reference if the ledger already has it. */
function commitOnce(log: ReferenceLog, made: ReferenceCommit): void {
  const { reference = "", ...rest } = made;
  const isUsed = log.references.has(reference);
  log.commit(isUsed ? rest : { ...rest, reference });
}

const choose = <T>(items: readonly T[], choice: number): T | undefined =>
  items.length === 0 ? undefined : items[choice % items.length];

/** A random export by the rules of the reference server. */
export const referenceExport: fc.Arbitrary<readonly string[]> = fc
  .array(change, { maxLength: 12 })
  .map((changes) => {
    const log = new ReferenceLog();
    for (const apply of changes) apply(log);
    return log.lines;
  });

/** Imports an export, verifies the ledger, and asserts that it exports the same bytes. Returns the number of odd entries. */
export function expectRoundTrip(lines: readonly string[]): number {
  const ledger = new TestLedger({ now: at("2026-03-02T00:00:00Z") });
  const { taken, failure, noted } = ledger.engine.importLogs({ texts: lines, before: 0 });
  expect(failure).toBeUndefined();
  expect(taken).toBe(lines.length);
  ledger.open();
  expect(linesOf(exportOf(ledger))).toEqual(lines);
  expect(audited(ledger)).toMatchObject({ status: "consistent", differences: [] });
  return noted?.count ?? 0;
}
