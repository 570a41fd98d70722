import { expect } from "vitest";
import type { TestLedger } from "./fixtures.ts";
import { LOG_HASHES } from "./logs.ts";
import { chainHash } from "./recorded.ts";
import { toMemento } from "#ledger-engine/rules/log/memento.ts";
import { LedgerModel } from "#test/support/ledger-engine/model/model.ts";

/** Asserts that the hash chain of a ledger is unbroken, and that all of its tables follow from its log. */
export function expectSound(ledger: TestLedger): void {
  const log = ledger.logs();
  const stored = ledger.sql.all<{ hash: string }>(
    `SELECT hex(hash) AS hash FROM ${LOG_HASHES} ORDER BY id`,
  );
  let previous: string | undefined;
  const computed = log.map((entry) => {
    previous = chainHash(toMemento(entry), previous);
    return Buffer.from(previous, "base64").toString("hex").toUpperCase();
  });
  expect(stored.map(({ hash }) => hash)).toEqual(computed);
  const replayed = LedgerModel.fromLog(log);
  expect(ledger.transactions()).toEqual(replayed.transactions());
  expect(ledger.accounts()).toEqual(replayed.accounts());
  const schemas = log.flatMap(({ data }) => ("schema" in data ? [data.schema] : []));
  expect(ledger.schemas()).toEqual(schemas);
}
