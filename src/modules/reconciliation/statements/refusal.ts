import type { StatementErrorKind } from "#modules/reconciliation/core/statements/index.ts";

/** `reading`: the file is there and is being read; `ready`: all of it was read, and its lines count; `refused`: it cannot be read. */
export const STATEMENT_STATES = ["reading", "ready", "refused"] as const;
export type StatementState = (typeof STATEMENT_STATES)[number];

/**
 * Why a file is refused: as a `StatementError` says, or because it does not fit what the source has. `ACCOUNT`: it is of another account
 * than the source; `EXISTS`: the source has a statement of this account and name; `OVERLAP`: its period overlaps another statement's.
 */
export type RefusalKind = StatementErrorKind | "ACCOUNT" | "EXISTS" | "OVERLAP";

/** Why a file is refused, and where in the file the field at fault begins, if a field is at fault. */
export interface StatementRefusal {
  readonly kind: RefusalKind;
  readonly message: string;
  /** From 1. */
  readonly line?: number;
  /** From 1, in UTF-16 code units. */
  readonly column?: number;
  /** From 0. */
  readonly byte?: number;
}
