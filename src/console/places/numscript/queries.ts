import { queryOptions } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import type { components } from "#openapi";
import { stringifyJson } from "#platform/json.ts";

export type Report = components["schemas"]["ScriptCheck"];
export type ScriptedTransaction = components["schemas"]["Transaction"];

/** A named script of a schema. */
export interface Template {
  readonly name: string;
  readonly description: string;
  readonly script: string;
}

/** The newest schema of a ledger. */
export interface NewestSchema {
  readonly version: string;
  readonly chart: Readonly<Record<string, unknown>>;
  readonly transactions: Readonly<Record<string, unknown>>;
  readonly queries: Readonly<Record<string, unknown>>;
  readonly templates: readonly Template[];
}

/** Most ledgers that the menu offers. A ledger beyond them is chosen by its page's link or by the URL. */
const LEDGERS_MAX = 100;
const ACCOUNTS_MAX = 30;
/** Transactions whose assets are suggested. */
const RECENT_MAX = 20;

export const ledgerNamesQuery = () =>
  queryOptions({
    queryKey: ["ledgers", "names"],
    queryFn: async ({ signal }) => {
      const { cursor } = await florin.get(
        "/api/ledger/v2",
        { query: { pageSize: LEDGERS_MAX } },
        { signal },
      );
      return cursor.data.map(({ name }) => name);
    },
  });

/** The check of a script. The check of a text never changes. */
export const checkQuery = (script: string) =>
  queryOptions({
    queryKey: ["numscript", "check", script],
    queryFn: async ({ signal }) =>
      (await florin.ask("/api/florin/v1/numscript/check", { body: { plain: script } }, { signal }))
        .data,
    staleTime: Infinity,
  });

/** The newest schema of a ledger; null if it has none. */
export const schemaQuery = (ledger: string) =>
  queryOptions({
    queryKey: ["ledgers", ledger, "newest-schema"],
    queryFn: async ({ signal }): Promise<NewestSchema | null> => {
      const { cursor } = await florin.get(
        "/api/ledger/v2/{ledger}/schemas",
        { path: { ledger }, query: { pageSize: 1 } },
        { signal },
      );
      const [schema] = cursor.data;
      if (schema === undefined) return null;
      const { version, chart, transactions = {}, queries = {} } = schema;
      return { version, chart, transactions, queries, templates: templatesOf(transactions) };
    },
    enabled: ledger !== "",
  });

const templatesOf = (transactions: Readonly<Record<string, unknown>>): Template[] =>
  Object.entries(transactions).flatMap(([name, value]) => {
    const { script, description } = value as Partial<Template>; // The members that a template may have.
    if (script === undefined) return [];
    return [{ name, script, description: description ?? "" }];
  });

/** The accounts whose addresses begin with a text. */
export const accountsLikeQuery = (ledger: string, prefix: string) =>
  queryOptions({
    queryKey: ["ledgers", ledger, "accounts-like", prefix],
    queryFn: async ({ signal }) => {
      const filter = stringifyJson({ $like: { address: `${prefix}%` } });
      const { cursor } = await florin.get(
        "/api/ledger/v2/{ledger}/accounts",
        {
          path: { ledger },
          query: { pageSize: ACCOUNTS_MAX, ...(prefix === "" ? {} : { query: filter }) },
        },
        { signal },
      );
      return {
        // A text such as `a_` is a pattern, which fits more than the text.
        addresses: cursor.data
          .map(({ address }) => address)
          .filter((address) => address.startsWith(prefix)),
        isComplete: !cursor.hasMore,
      };
    },
    staleTime: 30_000,
    enabled: ledger !== "",
  });

/** The assets of the last transactions. */
export const recentAssetsQuery = (ledger: string) =>
  queryOptions({
    queryKey: ["ledgers", ledger, "recent-assets"],
    queryFn: async ({ signal }) => {
      const { cursor } = await florin.get(
        "/api/ledger/v2/{ledger}/transactions",
        { path: { ledger }, query: { pageSize: RECENT_MAX } },
        { signal },
      );
      const assets = cursor.data.flatMap(({ postings }) => postings.map(({ asset }) => asset));
      return [...new Set(assets)];
    },
    staleTime: 60_000,
    enabled: ledger !== "",
  });
