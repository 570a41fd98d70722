import { type Hit, pathOf } from "./hits.ts";
import { HITS_MAX, type Search, type Source } from "./source.ts";
import { florin } from "#console/api/florin.ts";
import { stringifyJson } from "#platform/json.ts";

/** Ledgers in which a search looks: that of the page, and the newest ones. */
const LEDGERS_MAX = 3;
const LEDGERS_MS = 60_000;
/** Ids of transactions. */
const INTEGER = /^\d{1,18}$/;
const ADDRESS = /^[\w:-]+$/;

const ledgers: Source = {
  kind: "ledgers",
  scope: "ledger:read",
  find: async ({ text, signal }) => {
    const { cursor } = await florin.get(
      "/api/ledger/v2",
      { query: { pageSize: HITS_MAX, query: stringifyJson({ $like: { name: `%${text}%` } }) } },
      { signal },
    );
    return cursor.data.map(({ name, bucket }) => ({
      path: pathOf`/ledgers/${name}/overview`,
      title: name,
      note: bucket,
    }));
  },
};

const transactions: Source = {
  kind: "transactions",
  scope: "ledger:read",
  find: (search) =>
    inLedgers(search, async (ledger) => {
      const { text, signal } = search;
      const byReference = { $match: { reference: text } };
      const filter = INTEGER.test(text)
        ? { $or: [byReference, { $match: { id: BigInt(text) } }] }
        : byReference;
      const { cursor } = await florin.get(
        "/api/ledger/v2/{ledger}/transactions",
        { path: { ledger }, query: { pageSize: HITS_MAX, query: stringifyJson(filter) } },
        { signal },
      );
      return cursor.data.map(({ id, reference }) => ({
        path: pathOf`/ledgers/${ledger}/transactions/${id}`,
        title: reference ?? String(id),
        note: `${ledger} · ${String(id)}`,
      }));
    }),
};

const accounts: Source = {
  kind: "accounts",
  scope: "ledger:read",
  find: async (search) => {
    const { text, signal } = search;
    if (!ADDRESS.test(text)) return [];
    return inLedgers(search, async (ledger) => {
      const { cursor } = await florin.get(
        "/api/ledger/v2/{ledger}/accounts",
        {
          path: { ledger },
          query: { pageSize: HITS_MAX, query: stringifyJson({ $like: { address: `${text}%` } }) },
        },
        { signal },
      );
      return cursor.data.map(({ address }) => ({
        path: pathOf`/ledgers/${ledger}/accounts/${address}`,
        title: address,
        note: ledger,
      }));
    });
  },
};

/** What is found in the ledgers of a search. A ledger that does not answer fails the search. */
async function inLedgers(
  search: Search,
  find: (ledger: string) => Promise<readonly Hit[]>,
): Promise<readonly Hit[]> {
  const found = await Promise.all((await ledgersOf(search)).map(find));
  return found.flat().slice(0, HITS_MAX);
}

async function ledgersOf({ queries, path }: Search): Promise<readonly string[]> {
  const newest = await queries.fetchQuery({
    queryKey: ["palette", "ledgers"],
    queryFn: async () => {
      const { cursor } = await florin.get("/api/ledger/v2", {
        query: { pageSize: LEDGERS_MAX, sort: "id:desc" },
      });
      return cursor.data.map(({ name }) => name);
    },
    staleTime: LEDGERS_MS,
  });
  const [, own] = /^\/ledgers\/([^/]+)/.exec(path) ?? [];
  const all = own === undefined ? newest : [decodeURIComponent(own), ...newest];
  return [...new Set(all)].slice(0, LEDGERS_MAX);
}

export const ledgerSources: readonly Source[] = [ledgers, transactions, accounts];
