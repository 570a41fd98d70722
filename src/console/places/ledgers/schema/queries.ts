import { florin } from "#console/api/florin.ts";
import { pages } from "#console/parts/table/pages.ts";
import type { components } from "#openapi";

export type Schema = components["schemas"]["Schema"];

const VERSIONS_PAGE = 15;

/** The versions of the schema of a ledger, newest first. */
export const schemasQuery = (ledger: string) =>
  pages<Schema>(["ledgers", ledger, "schemas"], (cursor, signal) =>
    florin.get(
      "/api/ledger/v2/{ledger}/schemas",
      {
        path: { ledger },
        query: cursor === undefined ? { pageSize: VERSIONS_PAGE } : { cursor },
      },
      { signal },
    ),
  );
