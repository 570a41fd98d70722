import { sql } from "drizzle-orm";
import { PIPELINE_BACKLOG } from "./store/pipeline-store.ts";
import { pipelines } from "./tables.ts";
import { backlogSection } from "#platform/status/object-backlogs.ts";
import type { StatusSection } from "#platform/status/section.ts";
import { queuesSection } from "#platform/status/work-queues.ts";
import { IS_PENDING } from "#platform/work/sync-columns.ts";

const MODULE = "exporters";

const pathOf = (ledger: string, id: string): string =>
  `/api/florin/v1/ledgers/${ledger}/pipelines/${id}`;

/** What waits in the module. */
export const EXPORTERS_STATUS: readonly StatusSection[] = [
  backlogSection(
    MODULE,
    { name: "pipelines", description: "Pipelines that lag behind the logs of their ledgers" },
    {
      kind: PIPELINE_BACKLOG,
      owner: sql`(SELECT ledger FROM pipelines WHERE id = object_backlogs.name)`,
      path: (id, ledger) => pathOf(ledger, id),
      severity: "warning",
      whatToDo:
        "look at the pipeline, which shows its last error, and repair the exporter's destination; entries are sent again by themselves",
    },
  ),
  queuesSection(
    MODULE,
    { name: "queues", description: "Changes that objects of pipelines do not know yet" },
    [
      {
        work: "pipeline-changes",
        item: {
          id: sql`ledger || '/' || id`,
          path: (text) => pathOf(...(text.split("/") as [string, string])), // No ledger has a slash in its name.
        },
        table: sql`${pipelines}`,
        where: IS_PENDING,
        due: sql`sync_after`,
        graceMs: 60_000,
        isOverdue: sql`sync_attempts >= 3`,
        severity: "critical",
        why: "the objects of these pipelines could not be told",
        whatToDo: "look at the log for these objects; the sweep of pipelines tells them again",
      },
    ],
  ),
];
