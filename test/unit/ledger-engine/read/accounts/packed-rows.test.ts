import { expect, test } from "vitest";
import { ACCOUNT_COLUMNS } from "#ledger-engine/read/accounts/scan-reader.ts";
import { decodeCursor } from "#platform/paging/cursor.ts";
import {
  at,
  create,
  posting,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";

/** Page sizes: pages of `FEW` rows are packed, and a page of all accounts is too long to be packed. */
const FEW = 7;
const ALL = 100;

const METADATA = [
  {},
  { key: "x".repeat(1013) }, // 1,024 characters as JSON
  { key: "x".repeat(1014) },
  { key: "x".repeat(60_000) },
  { 'quoted "\\': "\u0001\n\u{10FFFF}\u2028é" },
  { __proto__x: "1", "10": "2", "9": "3" },
  { number: "12345678901234567890" },
];

function mixed(): TestLedger {
  const ledger = new TestLedger();
  for (let index = 0; index < 30; index++) {
    const address = `users:${index}`;
    const timestamp =
      index % 5 === 1 ? at("9999-12-31T23:59:59.999999Z") : at("1600-01-01T00:00:00Z");
    const amount = index % 4 === 0 ? 10n ** 40n : BigInt(index);
    const dated = index % 3 === 0 ? {} : { timestamp };
    ledger.commit(create(posting(`world -> ${address}`, amount, "USD/2"), dated));
    const metadata = METADATA[index % METADATA.length] ?? {};
    if (index % 2 === 0) ledger.run(setMetadata(address, metadata));
  }
  return ledger;
}

const RULES = {
  columns: { address: "text", first_usage: "date", insertion_date: "date", updated_at: "date" },
  pageSizeMax: ALL,
} as const;

test.each(ACCOUNT_COLUMNS)("accounts by %s are the same, few at a time or all", (column) => {
  const { reads } = mixed().engine;
  for (const order of ["asc", "desc"] as const) {
    for (const volumes of [false, true]) {
      const expansion = { volumes, effectiveVolumes: false };
      const query = { kind: "column", column, order, reverse: false } as const;
      const all = reads.listAccounts({ ...query, pageSize: ALL }, expansion).data;
      expect(all).toHaveLength(31);
      let page = reads.listAccounts({ ...query, pageSize: FEW }, expansion);
      const walked = [...page.data];
      while (page.next !== undefined) {
        page = reads.listAccounts(decodeCursor(page.next, RULES), expansion);
        walked.push(...page.data);
      }
      expect(walked).toEqual(all);
      for (const account of all) {
        expect(reads.findAccount(account.address, expansion)).toEqual(account);
      }
    }
  }
});

test("a filter that looks at every field sees metadata that is long", () => {
  const ledger = new TestLedger();
  const long = { key: "value", long: "x".repeat(1100) };
  for (const [address, metadata] of [
    ["users:long", long],
    ["users:short", { key: "value" }],
    ["users:other", { key: "other" }],
  ] as const) {
    ledger.commit(create(posting(`world -> ${address}`, 1n, "USD/2")));
    ledger.run(setMetadata(address, metadata));
  }
  const dates = ["first_usage", "insertion_date", "updated_at"];
  const others = [
    { $match: { address: "users:" } },
    ...dates.map((name) => ({ $gte: { [name]: "1000-01-01T00:00:00Z" } })),
  ];
  const match = { $match: { "metadata[key]": "value" } };
  const found = (test: object, column: (typeof ACCOUNT_COLUMNS)[number]) => {
    const where = JSON.stringify({ $and: [...others, test] });
    const query = { kind: "column", column, order: "asc", reverse: false, where } as const;
    const page = ledger.engine.reads.listAccounts(
      { ...query, pageSize: FEW },
      { volumes: false, effectiveVolumes: false },
    );
    const { count } = ledger.engine.reads.countAccounts({ where });
    expect(count).toBe(page.data.length);
    return page.data.map(({ address }) => address).toSorted();
  };
  for (const column of ACCOUNT_COLUMNS) {
    expect(found(match, column)).toEqual(["users:long", "users:short"]);
    expect(found({ $not: match }, column)).toEqual(["users:other"]);
  }
});
