import { OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { SearchBody, SearchResponse, SearchStateResponse } from "./schemas.ts";
import { toPageView, toStateView } from "./views.ts";
import { searchAll, searchKind } from "#modules/search/query/search.ts";
import { readState, rebuild } from "#modules/search/query/state.ts";
import { searchSettings } from "#modules/search/settings.ts";
import { AppError } from "#platform/errors.ts";
import { honourLedgers } from "#platform/http/access.ts";
import { type AppEnv, infoOperation, ok, operations, registration } from "#platform/http/index.ts";

/** The version of the API, which clients compare. */
export const API_VERSION = "v2.0.0";

const InfoResponse = z
  .object({ version: z.string() })
  .openapi("SearchInfo", { example: { version: API_VERSION } });

/** Throws `NOT_FOUND` where the deployment has no search. */
function assertOn({ env }: Context<AppEnv>): void {
  if (searchSettings.of(env).FLORIN_SEARCH === "on") return;
  throw new AppError("NOT_FOUND", "the search is off (FLORIN_SEARCH)");
}

const search = operations({ tags: ["Search"], scope: "search", before: assertOn });

const registerSearch = registration(
  infoOperation({
    operationId: "getServerInfo_search",
    summary: "Show the version of the search API",
    schema: InfoResponse,
    info: { version: API_VERSION },
  }),
  search.post("", {
    aliases: ["/"],
    operationId: "search",
    summary: "Search for objects of all modules",
    description:
      "Finds what the caller may read: kinds whose scope the token lacks, and ledgers that it does not reach, have no hits. A new object is found within seconds.",
    scope: "search:read",
    body: SearchBody,
    answer: ok.plain("The hits", SearchResponse),
    handle: async ({ body, context }) => {
      const { target } = body;
      if (target === undefined && body.cursor === undefined) {
        const found = await searchAll(context, body);
        return {
          data: Object.fromEntries(Object.entries(found).map(([kind, hits]) => [kind, [...hits]])),
        };
      }
      return toPageView(await searchKind(context, { ...body, target: target ?? "" }));
    },
  }),
);

const index = operations({ path: "/search", tags: ["Search index"], scope: "search" });

const registerIndex = registration(
  index.get("", {
    operationId: "florinReadSearchState",
    summary: "Show how far the index of the search is",
    description: "What is behind, since when and why, for those who look after the deployment.",
    scope: "florin:operate",
    answer: ok.data("The state", SearchStateResponse, toStateView),
    handle: ({ context }) => readState(context),
  }),
  index.post("/rebuild", {
    operationId: "florinRebuildSearch",
    summary: "Build the index of the search anew, while it serves",
    description:
      "Reads all logs and lists again into a new index, which replaces the old one when it is complete. The state shows how far it is.",
    before: assertOn,
    answer: ok.empty("The rebuild has begun", 202),
    handle: ({ context }) => rebuild(context),
  }),
);

export function searchRoutes(): OpenAPIHono<AppEnv> {
  const app = honourLedgers(new OpenAPIHono<AppEnv>());
  registerSearch(app);
  return app;
}

export function searchIndexRoutes(): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  registerIndex(app);
  return app;
}
