import { sql } from "drizzle-orm";
import { searchListener } from "./follow/listener.ts";
import { sweepSearch } from "./follow/sweep.ts";
import examples from "./http/examples.md" with { type: "text" };
import { API_VERSION, searchIndexRoutes, searchRoutes } from "./http/routes.ts";
import { rebuild } from "./query/state.ts";
import { searchSettings } from "./settings.ts";
import { SearchShardObject } from "./shards/shard-object.ts";
import { SEARCH_STATUS } from "./status.ts";
import { SEARCH_SWEEP } from "./sweep-names.ts";
import * as tables from "./tables.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type Module, readAndWrite } from "#platform/modules/module.ts";
import { tablesIn } from "#platform/upgrade/wanted-tables.ts";

/**
 * The search: finds transactions, accounts, payments and more by what they say. A folder imports only from folders below it
 * (`scripts/lib/rooms/room-table.ts`):
 *
 *     http           requests
 *     query          a search: candidates of the index, read from their own API and compared again
 *     follow         what is new goes to the shards; the sweep makes up for what was lost
 *     shards         one object for each eighth of all ledgers and kinds
 *     api            reads of Florin's own API, in the name of a principal
 *     engine         an inverted index on a synchronous SQL interface, and what follows a log
 *     core           kinds, documents, tokens and terms: rules without I/O
 *
 * The index holds tokens and ids, and no content. Whatever it gives is read from the object's own API in the name of the caller, so that a
 * search never shows more than the caller may read, nor anything that is no longer so. See `docs/search.md`.
 */
export const searchModule: Module = {
  name: "search",
  version: API_VERSION,
  routes: searchRoutes,
  florinRoutes: searchIndexRoutes,
  resources: [
    {
      name: "Search",
      resources: [
        {
          name: "Search",
          description: "Finds objects of all modules by references, amounts, addresses and texts.",
        },
        {
          name: "Search index",
          description: "How far the index of the search is, and the command that builds it anew.",
        },
      ],
    },
  ],
  examples,
  health: async ({ env }) => {
    await databaseOf(env).get(sql`SELECT 1`);
  },
  settings: searchSettings,
  tables: tablesIn(tables),
  scopes: readAndWrite(
    "search",
    "what the search finds; each kind of objects needs its own scope, too",
  ),
  eventListener: searchListener,
  status: SEARCH_STATUS,
  sweeps: [{ name: SEARCH_SWEEP, run: sweepSearch }],
  // The shards of the empty deployment have read all lists and the catalogue to their ends.
  onRestored: rebuild,
  classes: { SearchShardObject },
};

export { SearchShardObject };
