import { z } from "@hono/zod-openapi";
import { type FilterValueMap, mapFilterValues } from "./filter-values.ts";
import { filterOf, FilterParams, ListParams, toPageQuery } from "#platform/http/listing.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import type { PlatformSettings } from "#platform/platform-settings.ts";

/** The parameters of all lists. A `sort` is ignored, as clients rely on it: the newest comes first everywhere. */
export const ListQuery = ListParams.omit({ sort: true }).extend(FilterParams.shape);

/** The other place of a filter. */
export const FilterBody = z.unknown().optional().openapi({
  type: "object",
  description: "A filter, where `query` has none; empty for none.",
});

/** The page that a request asks for, of a list with the sort column `created_at`. Throws `VALIDATION`. */
export const toListQuery = (
  /** Names the list, so that the cursors of others are refused. */
  list: string,
  request: {
    readonly query: z.output<typeof ListQuery>;
    readonly body: unknown;
    readonly settings: PlatformSettings;
    /** Where clients write values in another way than columns hold them. */
    readonly values?: FilterValueMap;
  },
): PageQuery =>
  toPageQuery(
    {
      ...request.query,
      where: mapFilterValues(filterOf(request.query, request.body), request.values ?? {}),
    },
    { list, columns: { created_at: "date" }, column: "created_at", order: "desc" },
    request.settings,
  );
