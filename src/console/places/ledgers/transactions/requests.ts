import { toWire, type WireRequest } from "#console/api/client.ts";
import { PAGE_SIZE } from "#console/parts/table/pages.ts";

/** The requests of pages about transactions and accounts, to be shown as code. */

export const transactionsRequest = (ledger: string, filter: string | undefined): WireRequest =>
  toWire("get", "/api/ledger/v2/{ledger}/transactions", {
    path: { ledger },
    query: { pageSize: PAGE_SIZE, query: filter },
  });

export const transactionRequest = (ledger: string, id: string): WireRequest =>
  toWire("get", "/api/ledger/v2/{ledger}/transactions/{id}", {
    path: { ledger, id },
    query: { expand: "volumes" },
  });

export const accountRequest = (ledger: string, address: string, at?: string): WireRequest =>
  toWire("get", "/api/ledger/v2/{ledger}/accounts/{address}", {
    path: { ledger, address },
    query: { expand: at === undefined ? "volumes" : "effectiveVolumes", pit: at },
  });
