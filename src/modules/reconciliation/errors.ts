import type { ErrorTable } from "#platform/errors.ts";

/** Errors of reconciliation, besides those of the platform; `INVALID_ID` is declared by payments, too. */
export const RECONCILIATION_ERRORS = {
  INVALID_ID: { status: 400, code: "INVALID_ID" },
  MISSING_OR_INVALID_BODY: { status: 400, code: "MISSING_OR_INVALID_BODY" },
  RULE_BUSY: { status: 409, code: "RULE_BUSY" },
  RULE_CHANGED: { status: 409, code: "RULE_CHANGED" },
  SOURCE_IN_USE: { status: 409, code: "SOURCE_IN_USE" },
  SOURCE_UNREADABLE: { status: 400, code: "SOURCE_UNREADABLE" },
  STATEMENT_EXISTS: { status: 409, code: "STATEMENT_EXISTS" },
  STATEMENT_IN_USE: { status: 409, code: "STATEMENT_IN_USE" },
  STATEMENT_REFUSED: { status: 400, code: "STATEMENT_REFUSED" },
} as const satisfies ErrorTable;

declare module "#platform/errors.ts" {
  interface ErrorKinds {
    readonly reconciliation: keyof typeof RECONCILIATION_ERRORS;
  }
}
