import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Features, LogEntry, Metadata } from "#ledger-engine/rules/types.ts";
import { MetadataHistory } from "#ledger-engine/storage/metadata-history.ts";
import { attempt } from "#platform/result.ts";
import { fromMicros, toMicros } from "#platform/time.ts";
import { element, INFO, TestLedger } from "#test/support/ledger-engine/fixtures.ts";
import {
  expectedRows,
  type MetadataState,
  statesOf,
  storedRows,
} from "#test/support/ledger-engine/model/metadata-rows.ts";
import {
  type SchemaChoice,
  type Step,
  steps,
  versionOf,
  type Write,
} from "#test/support/ledger-engine/model/steps.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const features: fc.Arbitrary<Features> = fc
  .record({ accounts: fc.nat(3), transactions: fc.nat(3) })
  .map(({ accounts, transactions }) => ({
    ...INFO.features,
    ACCOUNT_METADATA_HISTORY: accounts === 0 ? "DISABLED" : "SYNC",
    TRANSACTION_METADATA_HISTORY: transactions === 0 ? "DISABLED" : "SYNC",
  }));

function ledgerAfter(run: readonly Step[], chosen: Features): TestLedger {
  const ledger = new TestLedger({ features: chosen });
  const start = ledger.now;
  const ids: number[] = [];
  const toElement = (write: Write) => element(write.toCommand(ids, start), write.key);
  const toVersion = (choice: SchemaChoice) =>
    versionOf(
      choice,
      ledger.schemas().map(({ version }) => version),
    );
  for (const step of run) {
    switch (step.kind) {
      case "write": {
        const { write, dryRun } = step;
        const options = { dryRun, schema: toVersion(write.schema) };
        attempt(() => ledger.run(write.toCommand(ids, start), options));
        break;
      }
      case "bulk":
        ledger.bulk(step.writes.map(toElement), { ...step, schema: toVersion(step.schema) });
        break;
      case "evict":
        ledger.open();
        break;
      case "wait":
        ledger.now = fromMicros(toMicros(ledger.now) + BigInt(step.seconds) * 1_000_000n);
        break;
      case "repeat":
        break;
    }
    ids.splice(0, ids.length, ...ledger.transactions().map(({ id }) => id));
  }
  return ledger;
}

const RUNS = { numRuns: runsOf(60) };

test("the index and the log of metadata follow from the log, whatever was written", () => {
  const property = fc.property(steps(30), features, (run, chosen) => {
    const ledger = ledgerAfter(run, chosen);
    expect(storedRows(ledger)).toEqual(expectedRows(ledger.logs(), chosen));
  });
  fc.assert(property, RUNS);
});

test("metadata at a date is that after the last entry of the date, without what accounts lose right after it", () => {
  const property = fc.property(steps(30), (run) => {
    const ledger = ledgerAfter(run, INFO.features);
    const log = ledger.logs();
    const states = statesOf(log);
    for (const [index, { date }] of log.entries()) {
      // Of several entries with one date, only the last one is compared.
      if (log[index + 1]?.date === date) continue;
      const expected = withDeletions(states.slice(index));
      expect(metadataAt(ledger, log, date)).toEqual(Object.fromEntries(expected));
    }
  });
  fc.assert(property, RUNS);
});

/** The metadata of the first state, without the keys that an account loses before it is updated again. */
function withDeletions([first, ...later]: readonly MetadataState[]): Map<string, Metadata> {
  const found = new Map(first?.metadata);
  for (const [target, metadata] of found) {
    if (!target.startsWith("account")) continue;
    let [kept, before] = [metadata, metadata];
    for (const state of later) {
      const after = state.metadata.get(target) ?? {};
      if (Object.entries(after).some(([key, value]) => before[key] !== value)) break;
      [kept, before] = [after, after];
    }
    found.set(target, kept);
  }
  return found;
}

/** The metadata of everything that existed at a date, by the names that the states use. */
function metadataAt(
  ledger: TestLedger,
  log: readonly LogEntry[],
  date: LogEntry["date"],
): Record<string, Metadata | undefined> {
  const history = new MetadataHistory(ledger.sql);
  const accounts = ledger.sql.all<{ id: number; address: string }>(
    "SELECT id, address FROM account WHERE inserted_at <= CAST(? AS INTEGER)",
    toMicros(date).toString(),
  );
  const transactions = log
    .filter((entry) => entry.date <= date)
    .flatMap(({ data }) => ("transaction" in data ? [data.transaction] : []))
    .map(({ id, metadata }) => ({ id, payload: { metadata } }));
  const ofAccounts = history.accountsAt(accounts, date);
  const ofTransactions = history.transactionsAt(transactions, date);
  const found = new Map([
    ...accounts.map(({ id, address }) => [`account ${address}`, ofAccounts.get(id)] as const),
    ...transactions.map(({ id }) => [`transaction ${id}`, ofTransactions.get(id)] as const),
  ]);
  return Object.fromEntries(found);
}
