import { balanceAddress, invalidFormat, isAddress, WORLD } from "./chart.ts";

/** Where money of a credit comes from, and money of a debit goes to. */
export type WalletSubject =
  | { readonly type: "ACCOUNT"; readonly identifier: string }
  /** The main balance unless one is named. Nobody checks that the wallet exists. */
  | { readonly type: "WALLET"; readonly identifier: string; readonly balance?: string | undefined };

export const OUTSIDE: WalletSubject = { type: "ACCOUNT", identifier: WORLD };

/** The account that a subject means. Throws `VALIDATION` for one that no ledger can have. */
export function subjectAddress(subject: WalletSubject): string {
  if (subject.type === "WALLET") return balanceAddress(subject.identifier, subject.balance);
  if (isAddress(subject.identifier)) return subject.identifier;
  throw invalidFormat(subject.identifier);
}
