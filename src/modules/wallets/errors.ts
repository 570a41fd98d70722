import type { ErrorTable } from "#platform/errors.ts";

/** Kinds of errors of wallets, besides those of the platform and of ledgers. */
export const WALLET_ERRORS = {
  /** The content type of the body is not JSON. */
  NOT_JSON: { status: 415, code: "VALIDATION" },
  HOLD_CLOSED: { status: 400, code: "HOLD_CLOSED" },
  /** The ledger of the wallets is deleted, and may be restored. */
  WALLETS_DELETED: { status: 409, code: "VALIDATION" },
} as const satisfies ErrorTable;

declare module "#platform/errors.ts" {
  interface ErrorKinds {
    readonly wallets: keyof typeof WALLET_ERRORS;
  }
}

/** Codes of kinds that have another code elsewhere. The official clients refuse an answer with a code that they do not know. */
export const WALLET_CLIENT_CODES = {
  INTERNAL: "INTERNAL_ERROR",
  NOT_FOUND: "VALIDATION",
  CONFLICT: "VALIDATION",
} as const;
