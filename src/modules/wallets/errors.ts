import type { ErrorTable } from "#platform/errors.ts";

/** What can go wrong in wallets, besides what can go wrong anywhere and in a ledger. */
export const WALLET_ERRORS = {
  /** A body that is not JSON, as its content type says. */
  NOT_JSON: { status: 415, code: "VALIDATION" },
  HOLD_CLOSED: { status: 400, code: "HOLD_CLOSED" },
  /** The ledger of the wallets is deleted. It may be restored. */
  WALLETS_DELETED: { status: 409, code: "VALIDATION" },
} as const satisfies ErrorTable;

declare module "#platform/errors.ts" {
  interface ErrorKinds {
    readonly wallets: keyof typeof WALLET_ERRORS;
  }
}

/** The official clients refuse an answer with a code that they do not know. */
export const WALLET_CLIENT_CODES = {
  INTERNAL: "INTERNAL_ERROR",
  NOT_FOUND: "VALIDATION",
  CONFLICT: "VALIDATION",
} as const;
