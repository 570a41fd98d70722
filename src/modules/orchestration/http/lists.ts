import type { z } from "@hono/zod-openapi";
import { ListParams, toPageQuery } from "#platform/http/listing.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import type { PlatformSettings } from "#platform/platform-settings.ts";

/** The parameters of lists in pages. */
export const PageParams = ListParams.omit({ sort: true });

/** Larger pages are made so large. */
const PAGE_SIZE_MAX = 100;

/** The page that a request asks for, of a list in the order in which its entries were made. Throws `VALIDATION`. */
export const toPage = (
  list: string,
  request: { readonly query: z.output<typeof PageParams>; readonly where?: string },
  settings: PlatformSettings,
): PageQuery =>
  toPageQuery(
    { ...request.query, where: request.where },
    { list, columns: { key: "integer" }, column: "key", order: "asc" },
    {
      ...settings,
      FLORIN_MAX_PAGE_SIZE: Math.min(settings.FLORIN_MAX_PAGE_SIZE, PAGE_SIZE_MAX),
    },
  );
