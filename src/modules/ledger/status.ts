import { sql } from "drizzle-orm";
import { LEDGER_BACKLOG, ledgers } from "#modules/catalogue/index.ts";
import { backlogSection } from "#platform/status/object-backlogs.ts";
import type { StatusSection } from "#platform/status/section.ts";
import { queuesSection } from "#platform/status/work-queues.ts";
import { IS_PENDING } from "#platform/work/sync-columns.ts";

const MODULE = "ledger";

/** What waits in the module. */
export const LEDGER_STATUS: readonly StatusSection[] = [
  backlogSection(
    MODULE,
    {
      name: "events",
      description: "Ledgers with log entries whose events no consumer has confirmed",
    },
    {
      kind: LEDGER_BACKLOG,
      path: (name) => `/api/ledger/v2/${name}/_info`,
      severity: "critical",
      whatToDo:
        "look in the log for the consumer of the queue 'florin-events', which says which listener fails; events are announced again by themselves",
    },
  ),
  queuesSection(
    MODULE,
    {
      name: "ledgers",
      description: "Ledgers whose objects have to be told, and those with differences",
    },
    [
      {
        work: "ledger-changes",
        item: { id: sql`name`, path: (name) => `/api/ledger/v2/${name}` },
        table: sql`${ledgers}`,
        where: IS_PENDING,
        due: sql`sync_after`,
        graceMs: 60_000,
        isOverdue: sql`sync_attempts >= 3`,
        severity: "critical",
        why: "the objects of these ledgers could not be told of a deletion, a restoration or the purge",
        whatToDo: "look at the log for these objects; the sweep 'buckets' tells them again",
      },
      {
        work: "inconsistent-ledgers",
        item: { id: sql`name`, path: (name) => `/api/florin/v1/ledgers/${name}/verification` },
        table: sql`${ledgers}`,
        where: sql`inconsistent_since IS NOT NULL`,
        due: sql`inconsistent_since`,
        order: sql`id`,
        graceMs: 0,
        isOverdue: sql`TRUE`,
        severity: "critical",
        why: "a verification has found that rows differ from the log",
        whatToDo:
          "run 'npm run florin -- ledger verify' on the ledger, stop what writes to it, and restore it from its log",
      },
    ],
  ),
];
