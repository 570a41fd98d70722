import { queryOptions } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import type { FilterValues } from "#console/parts/filters/filter-text.ts";
import { PAGE_SIZE, pages } from "#console/parts/table/pages.ts";
import { toInstant } from "#console/parts/time/instant.ts";
import type { components } from "#openapi";

export type FailedRequest = components["schemas"]["FailedRequest"];

/** The filters of the URL as parameters of the API. */
export function apiFiltersOf({ after, before, ...others }: FilterValues) {
  return {
    ...others,
    startTime: after === undefined ? undefined : toInstant(after),
    endTime: before === undefined ? undefined : toInstant(before),
  };
}

/** The requests that failed and fit the filters, newest first. */
export const failedRequestsQuery = (values: FilterValues) =>
  pages<FailedRequest>(["developers", "requests", values], (cursor, signal) => {
    const query = { ...apiFiltersOf(values), pageSize: PAGE_SIZE };
    return florin.get(
      "/api/florin/v1/requests/failed",
      { query: cursor === undefined ? query : { cursor } },
      { signal },
    );
  });

export const failedRequestQuery = (id: string) =>
  queryOptions({
    queryKey: ["developers", "request", id],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/requests/failed/{requestID}",
          { path: { requestID: id } },
          { signal },
        )
      ).data,
    retry: false,
  });

/** Most entries that a request's page shows of what it changed. */
const CHANGES_MAX = 100;

/** What a request has changed, by the audit. */
export const changesQuery = (requestId: string) =>
  queryOptions({
    queryKey: ["developers", "changes", requestId],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/audit",
          { query: { requestId, pageSize: CHANGES_MAX } },
          { signal },
        )
      ).cursor.data,
  });
