import type { LedgerObject } from "./objects/ledger-object.ts";
import { isLedgerName } from "#ledger-engine";
import { AppError } from "#platform/errors.ts";
import type { ObjectCall } from "#platform/objects/call.ts";

export type LedgerStub = DurableObjectStub<LedgerObject>;

export const READ_OF_LEDGER: ObjectCall = { object: "ledger", isRead: true };

/** The object of a ledger. Throws `LEDGER_NOT_FOUND` for a name that no ledger can have, as that must not address an object. */
export function ledgerObject({ LEDGERS }: Pick<Env, "LEDGERS">, ledger: string): LedgerStub {
  if (!isLedgerName(ledger)) throw new AppError("LEDGER_NOT_FOUND", "ledger not found");
  return LEDGERS.getByName(ledger);
}

export const unknownTransaction = (id: number): AppError =>
  new AppError("NOT_FOUND", `transaction ${id} not found`);

export const unknownAccount = (address: string): AppError =>
  new AppError("NOT_FOUND", `account '${address}' not found`);
