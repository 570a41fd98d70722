import { queryOptions } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import { PAGE_SIZE, pages } from "#console/parts/table/pages.ts";
import type { components } from "#openapi";

export type LogEntry = components["schemas"]["Log"];

/** The log entries of a ledger that fit a filter, newest first. */
export const logsQuery = (ledger: string, filter: string | undefined) =>
  pages<LogEntry>(["ledgers", ledger, "logs", filter], (cursor, signal) =>
    florin.get(
      "/api/ledger/v2/{ledger}/logs",
      {
        path: { ledger },
        query: cursor === undefined ? { pageSize: PAGE_SIZE, query: filter } : { cursor },
      },
      { signal },
    ),
  );

/** A log entry by its id; undefined if there is none. */
export const logQuery = (ledger: string, id: string) =>
  queryOptions({
    queryKey: ["ledgers", ledger, "log", id],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/ledger/v2/{ledger}/logs",
          { path: { ledger }, query: { pageSize: 1, query: `{"$match":{"id":${id}}}` } },
          { signal },
        )
      ).cursor.data[0] ?? null,
  });

/** Who wrote a log entry. All texts are empty if nobody knows. */
export const authorQuery = (ledger: string, id: string) =>
  queryOptions({
    queryKey: ["ledgers", ledger, "log-author", id],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/ledgers/{ledger}/logs/{id}/author",
          { path: { ledger, id } },
          { signal },
        )
      ).data,
  });
