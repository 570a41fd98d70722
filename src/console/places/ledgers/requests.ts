import { toWire, type WireRequest } from "#console/api/client.ts";
import { PAGE_SIZE } from "#console/parts/table/pages.ts";

/** The requests of pages as they go over the wire, which pages show as code. */

interface ListOptions {
  readonly filter?: string | undefined;
  readonly at?: string | undefined;
}

export const ledgersRequest = (filter: string | undefined): WireRequest =>
  toWire("get", "/api/ledger/v2", { query: { pageSize: PAGE_SIZE, query: filter } });

export const accountsRequest = (ledger: string, { filter, at }: ListOptions): WireRequest =>
  toWire("get", "/api/ledger/v2/{ledger}/accounts", {
    path: { ledger },
    query: {
      pageSize: PAGE_SIZE,
      query: filter,
      expand: at === undefined ? "volumes" : "effectiveVolumes",
      pit: at,
    },
  });

export const logsRequest = (ledger: string, { filter }: ListOptions): WireRequest =>
  toWire("get", "/api/ledger/v2/{ledger}/logs", {
    path: { ledger },
    query: { pageSize: PAGE_SIZE, query: filter },
  });

/** The first level of the tree, and the sums of a segment. */
export const treeRequests = (ledger: string, at: string | undefined): readonly WireRequest[] => [
  toWire("get", "/api/florin/v1/ledgers/{ledger}/accounts/tree", {
    path: { ledger },
    query: { pit: at },
  }),
  toWire("get", "/api/florin/v1/ledgers/{ledger}/accounts/tree/sums", {
    path: { ledger },
    query: { address: "users", pit: at },
  }),
];

export const overviewRequests = (
  ledger: string,
  at: string | undefined,
): readonly WireRequest[] => [
  toWire("get", "/api/ledger/v2/{ledger}", { path: { ledger } }),
  toWire("get", "/api/ledger/v2/{ledger}/stats", { path: { ledger } }),
  toWire("get", "/api/florin/v1/ledgers/{ledger}/activity", {
    path: { ledger },
    query: { interval: "day", endTime: at },
  }),
];

export const verificationRequest = (ledger: string): WireRequest =>
  toWire("post", "/api/florin/v1/ledgers/{ledger}/verify", { path: { ledger } });

export const schemasRequest = (ledger: string): WireRequest =>
  toWire("get", "/api/ledger/v2/{ledger}/schemas", { path: { ledger } });

export const pipelinesRequest = (ledger: string): WireRequest =>
  toWire("get", "/api/florin/v1/ledgers/{ledger}/pipelines", { path: { ledger } });
