import type { LinePeriod } from "./engine/collection.ts";
import { passesText } from "./engine/settings.ts";
import type { CorrectionAccounts, MatchingRow } from "./matching.ts";
import { invalid } from "#modules/reconciliation/core/fields.ts";
import { assertPasses } from "#modules/reconciliation/core/matching/check-passes.ts";
import { dateOf } from "#modules/reconciliation/core/matching/days.ts";
import type { Pass } from "#modules/reconciliation/core/matching/index.ts";
import { type Timestamp, toMillis } from "#platform/time.ts";

/** The accounts of corrections of a matching that names none. */
export const DEFAULT_ACCOUNTS: CorrectionAccounts = {
  suspense: "reconciliation:suspense",
  fees: "reconciliation:fees",
};

const DAY_MS = 86_400_000;

/** The day of a moment in UTC, in days since 1970-01-01. */
export const dayAt = (at: Timestamp): number => Math.floor(toMillis(at) / DAY_MS);

/** Throws `VALIDATION` for a period that begins in the future, or ends before it begins. */
export function assertPeriod({ from, to }: LinePeriod, now: Timestamp): void {
  if (from > dayAt(now)) throw invalid(`period.from, ${dateOf(from)}, is in the future`);
  if (to !== undefined && to < from)
    throw invalid(`period.to, ${dateOf(to)}, is before period.from, ${dateOf(from)}`);
}

/** The column of passes. Throws `VALIDATION` for passes that are refused. */
export function passesColumn(passes: readonly Pass[] | undefined): string | null {
  if (passes === undefined) return null;
  assertPasses(passes);
  return passesText(passes);
}

const ADDRESS = /^[a-zA-Z0-9_-]+(?::[a-zA-Z0-9_-]+)*$/;
const ADDRESS_LENGTH_MAX = 256;

/** The columns of accounts. Throws `VALIDATION` for a text that is no address. */
export function accountColumns({
  suspense,
  fees,
}: CorrectionAccounts): Pick<MatchingRow, "suspenseAccount" | "feesAccount"> {
  for (const [field, address] of Object.entries({ suspense, fees }))
    if (!ADDRESS.test(address) || address.length > ADDRESS_LENGTH_MAX)
      throw invalid(`accounts.${field} is not the address of an account`);
  return { suspenseAccount: suspense, feesAccount: fees };
}
