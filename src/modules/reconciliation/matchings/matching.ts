import type { LinePeriod } from "./engine/collection.ts";
import type { RunHead } from "./engine/heads.ts";
import { passesOf } from "./engine/settings.ts";
import type { reconciliationMatchings } from "./tables.ts";
import type { Reach } from "#modules/reconciliation/balances/reach.ts";
import type { Pass } from "#modules/reconciliation/core/matching/index.ts";
import { fromPrincipalColumn } from "#platform/access/stored-principal.ts";
import type { Principal } from "#platform/context.ts";
import { parseJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** Two sources whose lines belong together, and the rules by which they are matched. Lines, groups and runs are in the matching's object. */
export interface Matching {
  readonly key: number;
  readonly id: string;
  readonly name: string;
  readonly leftSourceId: string;
  readonly rightSourceId: string;
  readonly period: LinePeriod;
  /** Undefined for the passes that ship. */
  readonly passes: readonly Pass[] | undefined;
  /** The confidence from which a match is made without a person. */
  readonly threshold: number;
  /** The number of business days for which a line's partner may be late. */
  readonly timingDays: number;
  readonly accounts: CorrectionAccounts;
  /** All that the matching has lines of, or will have at its next run. */
  readonly reach: Reach;
  readonly createdBy: Principal;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly revision: number;
  readonly lastRun: RunHead | undefined;
}

/** The accounts to which corrections book what has no better place. */
export interface CorrectionAccounts {
  readonly suspense: string;
  readonly fees: string;
}

export type MatchingRow = typeof reconciliationMatchings.$inferSelect;

export const toMatching = (row: MatchingRow): Matching => ({
  key: row.key,
  id: row.id,
  name: row.name,
  leftSourceId: row.leftSourceId,
  rightSourceId: row.rightSourceId,
  period: { from: row.periodFrom, to: row.periodTo ?? undefined },
  passes: row.passes === null ? undefined : passesOf(row.passes),
  threshold: row.threshold,
  timingDays: row.timingDays,
  accounts: { suspense: row.suspenseAccount, fees: row.feesAccount },
  reach: { ledgers: parseJson(row.ledgers) as readonly string[], hasPools: row.hasPayments }, // `reachColumns` has written the list.
  createdBy: fromPrincipalColumn(row.createdBy),
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  revision: row.revision,
  lastRun: row.lastRun === null ? undefined : toRunHead(row.lastRun),
});

/** The head of a run in a column. */
export const toRunHead = (text: string): RunHead => parseJson(text) as RunHead; // Only heads of objects are stored.
