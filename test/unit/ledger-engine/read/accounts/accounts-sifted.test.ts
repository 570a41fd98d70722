import { beforeAll, describe, expect, test } from "vitest";
import { compareBytes } from "#ledger-engine/rules/canonical.ts";
import { stringifyJson } from "#platform/json.ts";
import { decodeCursor } from "#platform/paging/cursor.ts";
import type { Order } from "#platform/paging/query.ts";
import { create, posting, TestLedger } from "#test/support/ledger-engine/fixtures.ts";

/* Filters that no index serves, over so many accounts that SQL first excludes accounts that cannot match. */

const EDGES = [
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 62n,
  2n ** 63n - 1n,
  2n ** 63n,
  2n ** 64n,
  10n ** 30n,
];
const LONG = "l".repeat(60);

const RULES = {
  columns: { address: "text", insertion_date: "date", first_usage: "date" },
  pageSizeMax: 15,
} as const;

/** The USD balance of each account, in the order of the accounts' creation. */
const balances = new Map<string, bigint>();
const ledger = new TestLedger();

beforeAll(() => {
  const moves = Array.from({ length: 600 }, (_, index) => ({
    account: `${index % 3 === 0 ? "a" : "b"}:${index}:${index % 50 === 0 ? "rare" : "main"}`,
    amount: BigInt(index % 90),
  }));
  for (const [index, edge] of EDGES.entries()) {
    moves.push({ account: `edge:${index}:in`, amount: edge });
    moves.push({ account: `edge:${index}:out`, amount: -edge });
  }
  moves.push({ account: `b:${LONG}:rare`, amount: 5n }, { account: "b:1:rare:more", amount: 6n });
  for (const { account, amount } of moves) {
    const isIn = amount >= 0n;
    const text = isIn ? `world -> ${account}` : `${account} -> world`;
    ledger.commit(create(posting(text, isIn ? amount : -amount), { force: true }));
    balances.set("world", (balances.get("world") ?? 0n) - amount);
    balances.set(account, amount);
  }
});

function listed(where: object, column: string, order: Order): string[] {
  const { reads } = ledger.engine;
  const bare = { volumes: false, effectiveVolumes: false };
  const query = { kind: "column", column, order, pageSize: 15, reverse: false } as const;
  const found: string[] = [];
  let page = reads.listAccounts({ ...query, where: stringifyJson(where) }, bare);
  for (;;) {
    found.push(...page.data.map(({ address }) => address));
    if (page.rest === undefined && page.next === undefined) return found;
    page = reads.listAccounts(page.rest ?? decodeCursor(page.next ?? "", RULES), bare);
  }
}

type Matches = (address: string, balance: bigint) => boolean;

const CASES: readonly [name: string, where: object, matches: Matches][] = [
  ["a last segment", { $match: { address: "::rare" } }, (it) => /^[^:]+:[^:]+:rare$/.test(it)],
  ["a middle segment", { $match: { address: ":50:" } }, (it) => /^[^:]+:50:[^:]+$/.test(it)],
  [
    "an open pattern",
    { $match: { address: "::rare:..." } },
    (it) => /^[^:]+:[^:]+:rare(:|$)/.test(it),
  ],
  ["a long pattern", { $match: { address: `:${LONG}:` } }, (it) => it.includes(LONG)],
  ["wildcards of SQL", { $match: { address: "b:*:" } }, () => false],
  ["a suffix", { $like: { address: "%9:m_in" } }, (it) => /9:m.in$/.test(it)],
  ["a literal bracket", { $like: { address: "%[ab]%" } }, () => false],
  [
    "one of two",
    { $or: [{ $match: { address: "::rare" } }, { $gt: { "balance[USD]": 88 } }] },
    (it, balance) => /^[^:]+:[^:]+:rare$/.test(it) || balance > 88n,
  ],
  [
    "both of two",
    { $and: [{ $match: { address: "::rare" } }, { $gt: { "balance[USD]": 40 } }] },
    (it, balance) => /^[^:]+:[^:]+:rare$/.test(it) && balance > 40n,
  ],
  ["another asset", { $gt: { "balance[EUR]": 0 } }, () => false],
  ["any balance", { $lt: { balance: 0 } }, (_, balance) => balance < 0n],
  ["no balance", { $not: { $gte: { "balance[USD]": 1 } } }, (_, balance) => balance < 1n],
  ...EDGES.flatMap((edge): (typeof CASES)[number][] => [
    [`= ${edge}`, { $match: { "balance[USD]": edge } }, (_, balance) => balance === edge],
    [`> ${edge}`, { $gt: { "balance[USD]": edge } }, (_, balance) => balance > edge],
    [`< -${edge}`, { $lt: { "balance[USD]": -edge } }, (_, balance) => balance < -edge],
    [`<= -${edge}`, { $lte: { balance: -edge } }, (_, balance) => balance <= -edge],
  ]),
];

describe.each(["address", "insertion_date", "first_usage"])("a list by %s", (column) => {
  test.each(CASES)(
    "a list of accounts finds all that match %s, in both orders",
    (_, where, matches) => {
      const found = [...balances].filter(([it, balance]) => matches(it, balance)).map(([it]) => it);
      const ascending = listed(where, column, "asc");
      expect(ascending.toSorted(compareBytes)).toEqual(found.toSorted(compareBytes));
      if (column === "address") expect(ascending).toEqual(found.toSorted(compareBytes));
      expect(listed(where, column, "desc")).toEqual(ascending.toReversed());
    },
  );

  test.each(CASES)("a list of accounts counts all that match %s", (_, where, matches) => {
    const count = [...balances].filter(([it, balance]) => matches(it, balance)).length;
    expect(ledger.engine.reads.countAccounts({ where: stringifyJson(where) })).toEqual({ count });
  });
});
