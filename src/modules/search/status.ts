import { sql } from "drizzle-orm";
import { searchGaps } from "./tables.ts";
import type { StatusSection } from "#platform/status/section.ts";
import { queuesSection } from "#platform/status/work-queues.ts";

/** What waits in the module. */
export const SEARCH_STATUS: readonly StatusSection[] = [
  queuesSection("search", { name: "gaps", description: "Events that the index has not got" }, [
    {
      work: "index-gaps",
      item: { id: sql`origin`, reason: sql`reason`, path: () => "/api/florin/v1/search" },
      table: sql`${searchGaps}`,
      due: sql`since`,
      order: sql`origin`,
      graceMs: 300_000,
      severity: "warning",
      why: "shards of the index could not be reached, or the search was off, so that the search does not find these objects",
      whatToDo:
        "look at the log for the sweep of the search, which repairs gaps; see docs/search.md",
    },
  ]),
];
