import { type Author, isLedgerName } from "#ledger-engine";
import type { Principal } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { objectAt } from "#platform/objects/address.ts";
import { callObject, type ObjectCall } from "#platform/objects/call.ts";
import type { ObjectLocation } from "#platform/objects/location.ts";
import { attempt, unwrap } from "#platform/result.ts";

export type LedgerStub = ReturnType<Env["LEDGERS"]["getByName"]>;

export const READ_OF_LEDGER: ObjectCall = { object: "ledger", isRepeatable: true };
export const TO_LEDGER: ObjectCall = { object: "ledger" };

/** The object of a ledger; `location` says where to make it if it does not exist. Throws `LEDGER_NOT_FOUND` for a name that no ledger can have, because such a name must not address an object. */
export function ledgerObject(
  env: Pick<Env, "LEDGERS">,
  ledger: string,
  location?: ObjectLocation,
): LedgerStub {
  if (!isLedgerName(ledger)) throw new AppError("LEDGER_NOT_FOUND", "ledger not found");
  const place = location === undefined ? ledger : { name: ledger, location };
  return objectAt(env, env.LEDGERS, place);
}

/**
 * The value that `toValue` makes of a request. Where it is invalid and the ledger is unknown, the error says that the ledger is unknown.
 */
export async function checkedRequest<T>(object: LedgerStub, toValue: () => T): Promise<T> {
  const value = attempt(toValue);
  if (!value.ok) await callObject(object.assertCreated(), READ_OF_LEDGER);
  return unwrap(value);
}

export const authorOf = ({ issuer, subject, clientId }: Principal): Author => ({
  issuer,
  subject,
  clientId,
});

export const unknownTransaction = (id: number): AppError =>
  new AppError("NOT_FOUND", `transaction ${id} not found`);

export const unknownAccount = (address: string): AppError =>
  new AppError("NOT_FOUND", `account '${address}' not found`);
