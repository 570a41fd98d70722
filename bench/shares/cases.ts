import { z } from "zod";
import type { BenchApi } from "#bench/api.ts";
import {
  ACCOUNTS,
  BULK_SIZE_MAX,
  ceilingCases,
  fill,
  middle,
  walk,
  writeCases,
} from "#bench/cases.ts";
import type { Beside, Load } from "#bench/load/job.ts";
import { addressOf, FILTERED_VALUES, metadataOf, referenceOf } from "#bench/load/requests.ts";
import { Random } from "#scripts/lib/random.ts";

/** One kind of request, the load that shows its ceiling on the bare platform, and the wanted share of that rate. */
export interface ShareCase {
  readonly name: string;
  readonly clients: number;
  readonly load: Load;
  readonly ceiling: Load;
  readonly target: number;
  /** The load of an additional client, on the measured server and on that of the ceiling. */
  readonly beside?: { readonly own: Beside; readonly ceiling: Beside };
}

export const READ_SHARE_NAMES = [
  "share-transactions-first",
  "share-transactions-deep",
  "share-accounts-first",
  "share-accounts-deep",
  "share-logs-first",
  "share-logs-deep",
  "share-transaction",
  "share-account",
  "share-transactions-walk",
  "share-accounts-walk",
  "share-logs-walk",
] as const;
/** Names of the reads beside a client that writes all the time. */
export const WRITTEN_SHARE_NAMES = [
  "share-written-transactions-first",
  "share-written-accounts-first",
  "share-written-account",
] as const;
export const FILTER_SHARE_NAMES = [
  "share-filter-account",
  "share-filter-metadata",
  "share-filter-reference",
  "share-filter-date",
] as const;
export const SINGLE_SHARE_NAME = "share-single";

const READERS = 16;
const READ_TARGET = 0.75;
const FILTER_TARGET = 0.6;
const SINGLE_TARGET = 0.9;
const SEED = 13;

/** The ceiling of a read: an empty call of an object, without a body. */
const EMPTY_CALL: Load = { kind: "get", path: "/api/call/bench" };
const INSERTION: Load = { kind: "post", path: "/api/insert/bench", body: "{}" };

/** Pause after each write beside reads, in milliseconds. A write is a transaction and, for the ceiling, a row. */
const WRITE_PAUSE_MS = 5;

/**
 * Reads of a new ledger with `size` transactions: the first page of each list, a page from its middle, consecutive pages, and single rows.
 * Some reads are repeated while one client writes.
 */
export async function readShares(size: number, api: BenchApi): Promise<ShareCase[]> {
  const ledger = "reads";
  await api.createLedger(ledger);
  await fill(ledger, size, api);
  const base = `/api/ledger/v2/${ledger}`;
  const accounts = Math.min(size, ACCOUNTS);
  const lists = {
    transactions: { path: `${base}/transactions?sort=id:desc`, count: size },
    accounts: { path: `${base}/accounts?expand=volumes`, count: accounts },
    logs: { path: `${base}/logs?sort=id:desc`, count: size },
  };
  const deep = async ({ path, count }: { path: string; count: number }): Promise<Load> => ({
    kind: "get",
    path: await middle(path, count, api),
  });
  const loads: Readonly<Record<(typeof READ_SHARE_NAMES)[number], Load>> = {
    "share-transactions-first": { kind: "get", path: `${base}/transactions` },
    "share-transactions-deep": await deep(lists.transactions),
    "share-accounts-first": { kind: "get", path: lists.accounts.path },
    "share-accounts-deep": await deep(lists.accounts),
    "share-logs-first": { kind: "get", path: `${base}/logs` },
    "share-logs-deep": await deep(lists.logs),
    "share-transaction": { kind: "transaction", ledger, transactions: size },
    "share-account": { kind: "account", ledger, accounts },
    "share-transactions-walk": await walk(lists.transactions.path, api),
    "share-accounts-walk": await walk(lists.accounts.path, api),
    "share-logs-walk": await walk(lists.logs.path, api),
  };
  const read = { clients: READERS, ceiling: EMPTY_CALL, target: READ_TARGET };
  const beside = {
    own: { load: { kind: "commit", ledger, accounts }, pauseMs: WRITE_PAUSE_MS },
    ceiling: { load: INSERTION, pauseMs: WRITE_PAUSE_MS },
  } as const;
  return [
    ...READ_SHARE_NAMES.map((name) => ({ ...read, name, load: loads[name] })),
    ...WRITTEN_SHARE_NAMES.map((name) => ({ ...read, name, load: loads[WRITTEN[name]], beside })),
  ];
}

const WRITTEN = {
  "share-written-transactions-first": "share-transactions-first",
  "share-written-accounts-first": "share-accounts-first",
  "share-written-account": "share-account",
} as const satisfies Record<
  (typeof WRITTEN_SHARE_NAMES)[number],
  (typeof READ_SHARE_NAMES)[number]
>;

/** Filters of the transactions of a new ledger, each of which has a reference and a pair of metadata. */
export async function filterShares(size: number, api: BenchApi): Promise<ShareCase[]> {
  const ledger = "filtered";
  await api.createLedger(ledger);
  await fillFiltered(ledger, size, api);
  const found = await api.send(
    "GET",
    `/api/ledger/v2/${ledger}/transactions/${Math.floor(size / 2)}`,
  );
  const { timestamp } = Dated.parse(found).data;
  const loads: Readonly<Record<(typeof FILTER_SHARE_NAMES)[number], Load>> = {
    "share-filter-account": { kind: "filter", ledger, count: ACCOUNTS, by: "account" },
    "share-filter-metadata": { kind: "filter", ledger, count: FILTERED_VALUES, by: "metadata" },
    "share-filter-reference": { kind: "filter", ledger, count: size, by: "reference" },
    "share-filter-date": {
      kind: "get",
      path: `/api/ledger/v2/${ledger}/transactions?query=${encodeURIComponent(JSON.stringify({ $lt: { timestamp } }))}`,
    },
  };
  return FILTER_SHARE_NAMES.map((name) => ({
    name,
    clients: READERS,
    load: loads[name],
    ceiling: EMPTY_CALL,
    target: FILTER_TARGET,
  }));
}

const Dated = z.object({ data: z.object({ timestamp: z.string() }) });

/** Single transactions on existing accounts. Their ceiling is an object that only inserts one row for each request. */
export async function singleShares(api: BenchApi): Promise<ShareCase[]> {
  await api.createLedger("random");
  await fill("random", ACCOUNTS, api);
  const ceilings = ceilingCases().filter(({ name }) => name === "ceiling-insert");
  return writeCases()
    .filter(({ name }) => name === "single-random")
    .flatMap(({ concurrency: clients, load }) =>
      ceilings
        .filter(({ concurrency }) => concurrency === clients)
        .map((ceiling) => ({
          name: SINGLE_SHARE_NAME,
          clients,
          load,
          ceiling: ceiling.load,
          target: SINGLE_TARGET,
        })),
    );
}

async function fillFiltered(ledger: string, size: number, api: BenchApi): Promise<void> {
  const random = new Random(SEED);
  for (let done = 0; done < size; done += BULK_SIZE_MAX) {
    const elements = Array.from({ length: Math.min(BULK_SIZE_MAX, size - done) }, (_, index) => {
      const id = done + index + 1;
      const postings = [
        {
          source: "world",
          destination: addressOf(id <= ACCOUNTS ? id : random.integer(1, ACCOUNTS)),
          amount: 100,
          asset: "USD/2",
        },
      ];
      const data = { postings, reference: referenceOf(id), metadata: metadataOf(id) };
      return { action: "CREATE_TRANSACTION", data };
    });
    await api.send("POST", `/api/ledger/v2/${ledger}/_bulk`, JSON.stringify(elements));
  }
}
