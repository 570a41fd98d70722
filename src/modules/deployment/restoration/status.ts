import { databaseOf } from "#platform/db/database.ts";
import { findRestoration } from "#platform/restoration/restoration-token.ts";
import { isTakingBackup } from "#platform/restoration/restore-mode.ts";
import type { RestorationStage } from "#platform/restoration/tables.ts";
import type { Problem, StatusSection } from "#platform/status/section.ts";
import { toMillis } from "#platform/time.ts";

/** Whether the deployment is served only to take a backup. A deployment that is not reads nothing for it. */
export const restorationSection: StatusSection = {
  name: "restoration",
  description: "Whether the deployment is served only to take a backup",
  read: async ({ env }) => {
    if (!isTakingBackup(env)) return { samples: [], problems: [] };
    const known = await findRestoration(databaseOf(env));
    const sinceMs = known === undefined ? undefined : toMillis(known.beganAt);
    return { samples: [], problems: [problemOf(known?.stage ?? "none", sinceMs)] };
  },
};

const WHAT_TO_DO = {
  none: "restore one with npm run florin -- backup restore, or take the setting away and serve the deployment again",
  "under-way":
    "wait for the end of npm run florin -- backup restore; the same command goes on with one that broke off",
  ended: "the backup is there: take the setting away, and serve the deployment again",
  abandoned: "the restoration was given up: make the deployment anew",
} as const satisfies Readonly<Record<RestorationStage | "none", string>>;

const problemOf = (stage: keyof typeof WHAT_TO_DO, sinceMs: number | undefined): Problem => ({
  severity: "critical",
  what: "the deployment is served to take a backup",
  sinceMs,
  why: "FLORIN_RESTORE is set: requests are refused, and messages, alarms and sweeps wait",
  whatToDo: `${WHAT_TO_DO[stage]}; see docs/operations/backup.md`,
});
