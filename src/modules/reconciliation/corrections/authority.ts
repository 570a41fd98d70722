import type { StoredCorrection } from "./correction.ts";
import { reconciliationSettings } from "#modules/reconciliation/settings.ts";
import { allowsLedger, outOfReach } from "#platform/access/ledger-patterns.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { allows } from "#platform/http/authenticator.ts";

/** The right that a principal lacks for booking in a ledger, in words; undefined for none. */
export function lackingToBook({ scopes, ledgers }: Principal, ledger: string): string | undefined {
  if (!allows(scopes, "ledger:write")) return "the scope ledger:write";
  return allowsLedger(ledgers, ledger) ? undefined : `access to the ledger '${ledger}'`;
}

/** Throws `UNAUTHENTICATED` for a principal that may not write a ledger. */
export function assertMayBook(principal: Principal, ledger: string): void {
  const lacking = lackingToBook(principal, ledger);
  if (lacking !== undefined)
    throw outOfReach(`the correction is booked in the ledger '${ledger}'. You lack: ${lacking}`);
}

/** Whether a second person has to confirm write-offs, and corrections by scripts of people's own. */
export const needsFourEyes = ({ env }: Pick<ServiceContext, "env">): boolean =>
  reconciliationSettings.of(env).FLORIN_RECONCILIATION_FOUR_EYES;

/**
 * Throws `VALIDATION` where a program asks for a booking that a second person has to confirm: nothing would tell whether the person who
 * confirms it is the one behind the program.
 */
export function assertPersonAsks({ principal }: Pick<ServiceContext, "principal">): void {
  if (principal.isPerson === true) return;
  throw new AppError(
    "VALIDATION",
    "a write-off, or a correction by a script of one's own, is asked for by a person who has logged in, and confirmed by another one, because FLORIN_RECONCILIATION_FOUR_EYES is set",
  );
}

/**
 * Throws `VALIDATION` for whoever may not confirm a correction: a program, and the person who has asked for it. Issuers are not compared:
 * tokens may name one deployment in several ways, and nobody may thereby count as two people.
 */
export function assertOtherPerson(principal: Principal, { requestedBy }: StoredCorrection): void {
  if (principal.isPerson === true && principal.subject !== requestedBy.subject) return;
  throw new AppError(
    "VALIDATION",
    "a correction is confirmed by another person than the one who has asked for it, who has logged in as oneself",
  );
}
