import { z } from "zod";
import type { BenchApi } from "./api.ts";
import type { Load } from "./load/job.ts";
import { bulk, transaction } from "./load/requests.ts";
import type { Case } from "./measure.ts";
import { Random } from "#scripts/lib/random.ts";

/** Accounts over which random transactions spread. */
export const ACCOUNTS = 10_000;
/** Largest bulk that a server accepts by default. */
export const BULK_SIZE_MAX = 1000;
const BULK_SIZE_SMALL = 100;

const CLIENTS = [1, 16, 64];
const READERS = 16;
/**
 * Clients of the credits of wallets. A credit is a single script, so that the rate can be compared with that of as many clients with
 * scripts.
 */
const WALLET_CLIENTS = 16;
const BULK_WRITERS = 4;
const SEED = 11;

/**
 * The ceilings of this machine, measured on the Worker of `workers/ceilings.ts`. The paths begin with /api because most other paths first
 * pass the Worker that serves files.
 */
export function ceilingCases(): Case[] {
  const body = transaction(new Random(SEED), 1);
  const post = (path: string) => ({ kind: "post", path, body }) as const;
  return [
    { name: "ceiling-request", concurrency: 64, load: post("/api/request/bench") },
    { name: "ceiling-call", concurrency: 64, load: post("/api/call/bench") },
    ...CLIENTS.map((concurrency) => ({
      name: "ceiling-insert",
      concurrency,
      load: post("/api/insert/bench"),
    })),
  ];
}

/** The ledgers of the write cases. */
export const LEDGERS = [
  "random",
  "hot",
  "script",
  "bulk-100",
  "bulk-1000",
  "divided-100",
  "script-100",
] as const;

export const writeCases = (): Case[] => [
  ...CLIENTS.map((concurrency) => ({
    name: "single-random",
    concurrency,
    load: { kind: "commit", ledger: "random", accounts: ACCOUNTS } as const,
    transactions: 1,
  })),
  ...CLIENTS.map((concurrency) => ({
    name: "single-hot",
    concurrency,
    load: { kind: "commit", ledger: "hot", accounts: 1 } as const,
    transactions: 1,
  })),
  ...CLIENTS.map((concurrency) => ({
    name: "single-script",
    concurrency,
    load: { kind: "commit", ledger: "script", accounts: ACCOUNTS, form: "script" } as const,
    transactions: 1,
  })),
  {
    name: "wallet-credit",
    concurrency: WALLET_CLIENTS,
    load: { kind: "credit", wallets: ACCOUNTS },
    transactions: 1,
  },
  ...[BULK_SIZE_SMALL, BULK_SIZE_MAX].map((size) => ({
    name: `bulk-${size}`,
    concurrency: BULK_WRITERS,
    load: { kind: "bulk", ledger: `bulk-${size}`, accounts: ACCOUNTS, size } as const,
    transactions: size,
  })),
  ...(["divided", "script"] as const).map((form) => ({
    name: `${form}-${BULK_SIZE_SMALL}`,
    concurrency: BULK_WRITERS,
    load: {
      kind: "bulk",
      ledger: `${form}-${BULK_SIZE_SMALL}`,
      accounts: ACCOUNTS,
      size: BULK_SIZE_SMALL,
      form,
    } as const,
    transactions: BULK_SIZE_SMALL,
  })),
];

/** The names of the `readCases`, which can be made only for an existing ledger. */
export const READ_NAMES = [
  "transaction",
  "transactions-first",
  "transactions-middle",
  "transactions-by-timestamp",
  "transactions-by-timestamp-middle",
  "transactions-by-timestamp-walk",
  "account",
  "accounts-first",
  "accounts-middle",
  "accounts-walk",
  "logs-first",
  "logs-middle",
  "logs-walk",
] as const;

/** Reads of a ledger with `size` transactions: the first page of each list, a page from its middle, and consecutive pages. */
export async function readCases(ledger: string, size: number, api: BenchApi): Promise<Case[]> {
  const base = `/api/ledger/v2/${ledger}`;
  const transactions = `${base}/transactions`;
  const byTimestamp = `${transactions}?sort=timestamp:desc`;
  const accountList = `${base}/accounts?expand=volumes`;
  const accounts = Math.min(size, ACCOUNTS);
  const get = (path: string): Load => ({ kind: "get", path });
  const loads: Readonly<Record<(typeof READ_NAMES)[number], Load>> = {
    transaction: get(`${transactions}/${Math.floor(size / 2)}`),
    "transactions-first": get(transactions),
    "transactions-middle": get(await middle(`${transactions}?sort=id:desc`, size, api)),
    "transactions-by-timestamp": get(byTimestamp),
    "transactions-by-timestamp-middle": get(await middle(byTimestamp, size, api)),
    "transactions-by-timestamp-walk": await walk(byTimestamp, api),
    account: { kind: "account", ledger, accounts },
    "accounts-first": get(accountList),
    "accounts-middle": get(await middle(accountList, accounts, api)),
    "accounts-walk": await walk(accountList, api),
    "logs-first": get(`${base}/logs`),
    "logs-middle": get(await middle(`${base}/logs?sort=id:desc`, size, api)),
    "logs-walk": await walk(`${base}/logs?sort=id:desc`, api),
  };
  return READ_NAMES.map((name) => ({ name, concurrency: READERS, load: loads[name] }));
}

/** A load of consecutive pages of a list from the second page on, more pages than the Worker caches cursors. */
export async function walk(path: string, api: BenchApi): Promise<Load> {
  const paths: string[] = [];
  for (let page = path; paths.length < WALK_PAGES_MAX;) {
    const { next } = Page.parse(await api.send("GET", page)).cursor;
    if (next === "") break;
    page = `${path}&cursor=${next}`;
    paths.push(page);
  }
  return { kind: "walk", paths };
}

const WALK_PAGES_MAX = 300;

/** The path of the page in the middle of a list with `count` items. */
export async function middle(path: string, count: number, api: BenchApi): Promise<string> {
  let page = `${path}&pageSize=${PAGE_SIZE_MAX}`;
  for (let passed = PAGE_SIZE_MAX; ; passed += PAGE_SIZE_MAX) {
    const { next } = Page.parse(await api.send("GET", page)).cursor;
    if (next === "") throw new Error(`${path} ends before its middle`);
    page = `${path}&cursor=${next}`;
    if (passed >= count / 2) return `${page}&pageSize=${PAGE_SIZE_STANDARD}`;
  }
}

const PAGE_SIZE_MAX = 500;
const PAGE_SIZE_STANDARD = 15;
const Page = z.object({ cursor: z.object({ next: z.string() }) });

/** Commits `size` transactions, the first of which use every account once. */
export async function fill(ledger: string, size: number, api: BenchApi): Promise<void> {
  const random = new Random(SEED);
  for (let done = 0; done < size; done += BULK_SIZE_MAX) {
    const accounts = Array.from({ length: Math.min(BULK_SIZE_MAX, size - done) }, (_, index) =>
      done + index < ACCOUNTS ? done + index + 1 : random.integer(1, ACCOUNTS),
    );
    await api.send("POST", `/api/ledger/v2/${ledger}/_bulk`, bulk(random, accounts));
  }
}
