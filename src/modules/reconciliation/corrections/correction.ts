import type { CorrectionKind, CorrectionState } from "./states.ts";
import type { reconciliationCorrections } from "./tables.ts";
import type { MatchSide } from "#modules/reconciliation/core/matching/line.ts";
import { fromPrincipalColumn } from "#platform/access/stored-principal.ts";
import type { Principal } from "#platform/context.ts";
import { parseJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** A booking that closes a break, from the request to the end. */
export interface StoredCorrection {
  readonly key: number;
  readonly id: string;
  readonly matchingId: string;
  readonly line: number;
  /** All lines that the booking closes. */
  readonly closes: readonly number[];
  readonly kind: CorrectionKind;
  readonly state: CorrectionState;
  readonly needsApproval: boolean;
  readonly ledger: string;
  readonly side: MatchSide;
  readonly script: string;
  readonly vars: Readonly<Record<string, string>>;
  readonly timestamp: Timestamp | undefined;
  readonly note: string;
  readonly idempotencyKey: string;
  readonly requestedBy: Principal;
  readonly decidedBy: Principal | undefined;
  readonly decisionNote: string | undefined;
  readonly error: string | undefined;
  readonly transactionID: bigint | undefined;
  readonly group: number | undefined;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
}

export type CorrectionRow = typeof reconciliationCorrections.$inferSelect;

export const toCorrection = (row: CorrectionRow): StoredCorrection => ({
  key: row.key,
  id: row.id,
  matchingId: row.matchingId,
  line: row.line,
  closes: parseJson(row.closes) as readonly number[], // `create.ts` writes nothing else
  kind: row.kind,
  state: row.state,
  needsApproval: row.needsApproval,
  ledger: row.ledger,
  side: row.side,
  script: row.script,
  vars: parseJson(row.vars) as Readonly<Record<string, string>>, // `create.ts` writes nothing else
  timestamp: row.timestamp ?? undefined,
  note: row.note,
  idempotencyKey: row.idempotencyKey,
  requestedBy: fromPrincipalColumn(row.requestedBy),
  decidedBy: row.decidedBy === null ? undefined : fromPrincipalColumn(row.decidedBy),
  decisionNote: row.decisionNote ?? undefined,
  error: row.error ?? undefined,
  transactionID: row.transactionId === null ? undefined : BigInt(row.transactionId),
  group: row.lineGroup ?? undefined,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});
