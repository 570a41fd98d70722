import { expect, test } from "vitest";
import { StoredNames } from "#ledger-engine/storage/names/names.ts";
import { LOG_TYPES } from "#ledger-engine/storage/payload.ts";
import { TransactionReader } from "#ledger-engine/storage/transaction-reader.ts";
import type { LogRowPage, StoredLogRow } from "#ledger-engine/write/log-rows.ts";
import {
  at,
  create,
  posting,
  revert,
  setMetadata,
  TestLedger,
  volumeTexts,
} from "#test/support/ledger-engine/fixtures.ts";
import { audited } from "#test/support/ledger-engine/in-node.ts";

const row = (id: number, fields: Partial<StoredLogRow>): StoredLogRow => ({
  id,
  date: at(`09:0${id}`),
  type: LOG_TYPES.NEW_TRANSACTION,
  tx: null,
  payload: "",
  hash: null,
  key: null,
  keyHash: null,
  hasChecksum: true,
  ...fields,
});

/** A log with ids from 0, as other software may number entries and transactions. */
const ROWS = [
  row(0, { tx: 0, payload: '1,2,100,{"a":{"b":{"k":"v"}}}' }),
  row(1, { tx: 1, payload: "2,3,30" }),
  row(2, { type: LOG_TYPES.SET_METADATA, payload: '[0,{"k":"v"}]' }),
];
const pageOf = (rows: readonly StoredLogRow[]): LogRowPage => ({
  rows,
  accounts: new Map([
    [1, "world"],
    [2, "a"],
    [3, "b"],
  ]),
  assets: new Map([[1, "USD"]]),
  isLast: true,
});

function ledgerOf(rows: readonly StoredLogRow[]): TestLedger {
  const ledger = new TestLedger({ features: { HASH_LOGS: "DISABLED" } });
  ledger.engine.replay([pageOf(rows)]);
  return ledger;
}

test("the first entry and the first transaction of a new ledger have the id 1", () => {
  const ledger = new TestLedger();
  expect([ledger.engine.lastLogId, ledger.engine.headLogId]).toEqual([0, -1]);
  expect(audited(ledger)).toMatchObject({ status: "consistent", lastLogId: 0 });
  expect(ledger.run(create(posting("world -> a", 1)))).toMatchObject({
    logId: 1,
    transaction: { id: 1 },
  });
});

test("a log that begins with 0 is accepted, and goes on after its last ids", () => {
  const ledger = ledgerOf(ROWS);
  expect(ledger.open().lastLogId).toBe(2);
  expect(ledger.engine.readLogs(0, 9, { countMax: 9, bytesMax: 99_999 })).toHaveLength(3);
  expect(ledger.transaction(0)).toMatchObject({ id: 0, metadata: { k: "v" } });
  expect(ledger.transactions().map(({ id }) => id)).toEqual([0, 1]);
  ledger.run(setMetadata(0, { k: "w" }));
  expect(ledger.run(revert(0, { force: true }))).toMatchObject({
    logId: 4,
    transaction: { id: 2 },
  });
  expect(ledger.transaction(0)).toMatchObject({ revertedAt: ledger.now, metadata: { k: "w" } });
  expect(audited(ledger)).toMatchObject({ status: "consistent", lastLogId: 4 });
});

test("a log may consist of entry 0 alone", () => {
  const ledger = ledgerOf(ROWS.slice(0, 1));
  expect([ledger.engine.lastLogId, ledger.engine.headLogId]).toEqual([0, 0]);
  expect(audited(ledger)).toMatchObject({ status: "consistent", lastLogId: 0, rows: { tx: 1 } });
  expect(ledger.run(create(posting("world -> a", 1)))).toMatchObject({
    logId: 1,
    transaction: { id: 1 },
  });
  expect(() => ledger.engine.replay([pageOf(ROWS.slice(0, 1))])).toThrow("log entry 0");
});

test("the last transaction up to a date is found, even if it is 0 or does not exist", () => {
  const ledger = ledgerOf(ROWS);
  const reader = new TransactionReader(ledger.sql, new StoredNames(ledger.sql));
  expect(
    ["08:59", "09:00", "09:00:30", "09:01", "10:00"].map((time) => reader.lastIdAt(at(time))),
  ).toEqual([-1, 0, 0, 1, 1]);
  const { sql } = new TestLedger();
  expect(new TransactionReader(sql, new StoredNames(sql)).lastIdAt(at("10:00"))).toBe(-1);
});

test("back-dated transactions come before or after transaction 0", () => {
  const ledger = ledgerOf(ROWS);
  ledger.run(create(posting("world -> a", 5), { timestamp: at("08:00") }));
  ledger.run(create(posting("world -> a", 7), { timestamp: at("09:00:30") }));
  expect(volumeTexts(ledger.transaction(2).effectiveVolumes)).toEqual([
    "world USD 0/5",
    "a USD 5/0",
  ]);
  expect(volumeTexts(ledger.transaction(0).effectiveVolumes)).toEqual([
    "world USD 0/105",
    "a USD 105/0",
  ]);
  expect(volumeTexts(ledger.transaction(3).effectiveVolumes)).toEqual([
    "world USD 0/112",
    "a USD 112/0",
  ]);
  expect(audited(ledger).differences).toEqual([]);
});

test.each([
  ["transaction", { tx: 1 }, "transaction 1 is made once"],
  ["reference", { tx: 5, payload: '1,2,1,{"r":"r1"}' }, 'reference "r1" is used once'],
])("a %s that the log contains twice is refused", (_, fields, problem) => {
  const rows = [
    ...ROWS,
    row(3, { tx: 4, payload: '1,2,1,{"r":"r1"}' }),
    row(4, { payload: "1,2,1", ...fields }),
  ];
  const ledger = ledgerOf(ROWS);
  const before = ledger.dump();
  expect(() => ledger.engine.replay([pageOf(rows.slice(3))])).toThrow(problem);
  expect(ledger.dump()).toBe(before);
});

test("a transaction that comes after one with a higher id is refused", () => {
  const ledger = ledgerOf([...ROWS, row(3, { tx: 4, payload: "1,2,1" })]);
  const before = ledger.dump();
  expect(() => ledger.engine.replay([pageOf([row(4, { tx: 3, payload: "1,2,1" })])])).toThrow(
    "ids of transactions increase",
  );
  expect(ledger.dump()).toBe(before);
});
