import type { ErrorTable } from "#platform/errors.ts";

/** Errors of payments, besides those of the platform. A name that is taken is answered with 400, as clients expect. */
export const PAYMENT_ERRORS = {
  INVALID_ID: { status: 400, code: "INVALID_ID" },
  ALREADY_EXISTS: { status: 400, code: "CONFLICT" },
  CONNECTOR_CAPABILITY_NOT_SUPPORTED: {
    status: 400,
    code: "CONNECTOR_CAPABILITY_NOT_SUPPORTED",
  },
} as const satisfies ErrorTable;

declare module "#platform/errors.ts" {
  interface ErrorKinds {
    readonly payments: keyof typeof PAYMENT_ERRORS;
  }
}
