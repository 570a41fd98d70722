import { Buffer } from "node:buffer";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AccountTree, type PastLimits } from "#ledger-engine/read/accounts/account-tree.ts";
import type { AccountSegment } from "#ledger-engine/rules/reads.ts";
import { decodeCursor } from "#platform/paging/cursor.ts";
import { joinPages, type Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import type { Timestamp } from "#platform/time.ts";
import { fromMicros } from "#platform/time.ts";
import { runsOf } from "#test/support/runner/runs.ts";

interface Account {
  readonly address: string;
  readonly micros: number;
}

/** A table of accounts without a ledger, because imported accounts may have any text as their address. */
function treeOf(accounts: readonly Account[], limits?: PastLimits): AccountTree {
  const sql = new NodeSql();
  sql.all(
    `CREATE TABLE account (id INTEGER PRIMARY KEY, address TEXT NOT NULL UNIQUE, first_usage INTEGER NOT NULL) STRICT`,
  );
  sql.all("CREATE INDEX account_first_usage ON account (first_usage)");
  for (const { address, micros } of accounts) {
    sql.all("INSERT INTO account (address, first_usage) VALUES (?, ?)", address, micros);
  }
  return new AccountTree({ sql }, limits);
}

const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The segments of a level, from the list of all accounts. */
function naive(accounts: readonly Account[], prefix: string, isPast: boolean): AccountSegment[] {
  const inside = accounts.map(({ address }) => address).filter((it) => it.startsWith(prefix));
  const segments = new Set(inside.map((it) => it.slice(prefix.length).split(":")[0] ?? ""));
  return [...segments]
    .toSorted((a, b) => compare(prefix + a, prefix + b))
    .map((segment) => {
      const address = `${prefix}${segment}`;
      const isAccount = inside.includes(address);
      const below = inside.filter((it) => it.startsWith(`${address}:`)).length;
      const counted = isPast || below > 100 ? {} : { accounts: below + Number(isAccount) };
      return {
        segment,
        address,
        prefix: `${address}:`,
        isAccount,
        hasChildren: below > 0,
        ...counted,
      };
    });
}

interface Walk {
  readonly prefix: string;
  readonly pageSize: number;
  readonly pit?: Timestamp;
}

/** All segments of a level, page by page. Parts of a page are joined as often as `isJoined` says. */
function walk(tree: AccountTree, { prefix, pageSize, pit }: Walk): AccountSegment[] {
  const first: PageQuery = {
    kind: "column",
    list: "shop/tree",
    column: "segment",
    order: "asc",
    pageSize,
    reverse: false,
    options: { prefix },
    ...(pit === undefined ? {} : { pit }),
  };
  const found: AccountSegment[] = [];
  let turns = 0;
  for (let query: PageQuery | undefined = first; query !== undefined;) {
    let page: Page<AccountSegment> = tree.list(query);
    while (page.rest !== undefined && turns++ % 3 > 0)
      page = joinPages(query, page, tree.list(page.rest));
    expect(page.data.length).toBeLessThanOrEqual(pageSize);
    if (page.rest === undefined && page.hasMore) expect(page.data).toHaveLength(pageSize);
    found.push(...page.data);
    query = page.next === undefined ? undefined : decodeCursor(page.next, RULES);
  }
  return found;
}

const RULES = {
  list: "shop/tree",
  columns: { segment: "text" },
  options: { prefix: "" },
  pageSizeMax: 1000,
} as const;

const character = fc.constantFrom(..."a a b 1 1 - _ : : : Z ; é 😀 \uFFFD \u0002".split(" "), " ");
const legal = fc.constantFrom(..."a b 0 1 9 - _ Z : : :".split(" "));
const addressOf = (of: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(of, { maxLength: 7 }).map((it) => it.join(""));
const accountsOf = (address: fc.Arbitrary<string>): fc.Arbitrary<Account[]> =>
  fc.uniqueArray(fc.record({ address, micros: fc.integer({ min: 0, max: 9 }) }), {
    selector: (it) => it.address,
    maxLength: 60,
  });
const accounts = fc.oneof(accountsOf(addressOf(legal)), accountsOf(addressOf(character)));

/** All prefixes of levels that exist, and some that do not. */
const prefixesOf = (list: readonly Account[]): string[] => [
  "",
  ":",
  "nobody:",
  ...new Set(
    list.flatMap(({ address }) =>
      address
        .split(":")
        .flatMap((_, index, all) => (index === 0 ? [] : `${all.slice(0, index).join(":")}:`)),
    ),
  ),
];

describe("the tree of accounts equals a sort of all addresses", () => {
  test("every level of the tree lists its segments in byte order, whatever the addresses and the size of pages", () => {
    fc.assert(
      fc.property(accounts, fc.integer({ min: 1, max: 9 }), (list, pageSize) => {
        const tree = treeOf(list);
        for (const prefix of prefixesOf(list)) {
          expect(walk(tree, { prefix, pageSize })).toEqual(naive(list, prefix, false));
        }
      }),
      { numRuns: runsOf(1500) },
    );
  });

  test("every level of the tree at a point in time lists the segments whose accounts had been used", () => {
    const moment = fc.integer({ min: -1, max: 10 });
    const size = fc.integer({ min: 1, max: 9 });
    // Low limits, so that pages are read in parts, also within one segment.
    const limits = fc.record({ few: fc.constantFrom(0, 5, 100), triedFirst: size, tried: size });
    fc.assert(
      fc.property(accounts, fc.record({ pageSize: size, micros: moment, limits }), (list, how) => {
        const { pageSize, micros } = how;
        const tree = treeOf(list, how.limits);
        const used = list.filter((it) => it.micros <= micros);
        for (const prefix of prefixesOf(list)) {
          const found = walk(tree, { prefix, pageSize, pit: fromMicros(micros) });
          expect(found).toEqual(naive(used, prefix, true));
        }
      }),
      { numRuns: runsOf(600) },
    );
  });
});
