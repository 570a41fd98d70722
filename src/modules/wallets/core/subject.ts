import { balanceAddress, invalidFormat, isAddress, WORLD } from "./chart.ts";

/** The source of a credit, or the destination of a debit. */
export type WalletSubject =
  | { readonly type: "ACCOUNT"; readonly identifier: string }
  /** Without a balance, the main balance of the wallet. Whether the wallet exists is not checked. */
  | { readonly type: "WALLET"; readonly identifier: string; readonly balance?: string | undefined };

export const OUTSIDE: WalletSubject = { type: "ACCOUNT", identifier: WORLD };

/** The address of a subject. Throws `VALIDATION` for a subject that is no account of a ledger. */
export function subjectAddress(subject: WalletSubject): string {
  if (subject.type === "WALLET") return balanceAddress(subject.identifier, subject.balance);
  if (isAddress(subject.identifier)) return subject.identifier;
  throw invalidFormat(subject.identifier);
}
