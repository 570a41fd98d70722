import { queryOptions } from "@tanstack/react-query";
import { florin } from "#console/api/florin.ts";
import type { FilterValues } from "#console/parts/filters/filter-text.ts";
import { PAGE_SIZE, pages } from "#console/parts/table/pages.ts";
import { toInstant } from "#console/parts/time/instant.ts";
import type { components } from "#openapi";

export type AuditEntry = components["schemas"]["AuditEntry"];

/** The filters of the URL as parameters of the API. */
export function apiFiltersOf({ after, before, ...others }: FilterValues) {
  return {
    ...others,
    startTime: after === undefined ? undefined : toInstant(after),
    endTime: before === undefined ? undefined : toInstant(before),
  };
}

/** Who changed what, by the filters, newest first. */
export const auditQuery = (values: FilterValues) =>
  pages<AuditEntry>(["access", "audit", values], (cursor, signal) => {
    const query = { ...apiFiltersOf(values), pageSize: PAGE_SIZE };
    return florin.get(
      "/api/florin/v1/audit",
      { query: cursor === undefined ? query : { cursor } },
      { signal },
    );
  });

/** Most changes of one request that a panel shows. */
const CHANGES_MAX = 100;

/** All changes of one request. */
export const requestChangesQuery = (requestId: string) =>
  queryOptions({
    queryKey: ["access", "changes", requestId],
    queryFn: async ({ signal }) =>
      (
        await florin.get(
          "/api/florin/v1/audit",
          { query: { requestId, pageSize: CHANGES_MAX } },
          { signal },
        )
      ).cursor.data,
  });
