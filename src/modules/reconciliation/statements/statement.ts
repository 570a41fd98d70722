import type { FileLine } from "./line.ts";
import type { StatementRefusal, StatementState } from "./refusal.ts";
import type { reconciliationStatementHeads, reconciliationStatements } from "./tables.ts";
import type { StatementFormat } from "#modules/reconciliation/core/statements/index.ts";
import { parseJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** A file of a source. */
export interface StatementFile {
  readonly key: number;
  readonly id: string;
  readonly sourceId: string;
  readonly state: StatementState;
  readonly fileName: string | undefined;
  readonly bytes: number;
  /** In lower-case hexadecimal digits. */
  readonly sha256: string;
  readonly format: StatementFormat | undefined;
  readonly uploadedAt: Timestamp;
  readonly uploadedBy: string;
  readonly endedAt: Timestamp | undefined;
  readonly lines: number;
  readonly pending: number;
  readonly refusal: StatementRefusal | undefined;
}

/** What one of the statements in a file says of itself. */
export interface Head {
  readonly name: string | undefined;
  readonly account: string | undefined;
  readonly asset: string | undefined;
  /** `YYYY-MM-DD`. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly opening: bigint | undefined;
  readonly closing: bigint | undefined;
  readonly lines: number;
  readonly pending: number;
  readonly totals: Readonly<Record<string, bigint>>;
  /** Whether both balances were there and agree with the lines. */
  readonly balanced: boolean;
}

export const toStatementFile = (
  row: typeof reconciliationStatements.$inferSelect,
): StatementFile => ({
  key: row.key,
  id: row.id,
  sourceId: row.sourceId,
  state: row.state,
  fileName: row.fileName ?? undefined,
  bytes: row.bytes,
  sha256: row.sha256,
  format: row.format ?? undefined,
  uploadedAt: row.uploadedAt,
  uploadedBy: row.uploadedBy,
  endedAt: row.endedAt ?? undefined,
  lines: row.lines,
  pending: row.pending,
  // `finish.ts` has written it.
  refusal: row.refusal === null ? undefined : (parseJson(row.refusal) as StatementRefusal),
});

type HeadRow = typeof reconciliationStatementHeads.$inferSelect;

export const toHead = (row: HeadRow): Head => ({
  name: row.name ?? undefined,
  account: row.account ?? undefined,
  asset: row.asset ?? undefined,
  from: row.from ?? undefined,
  to: row.to ?? undefined,
  opening: row.opening === null ? undefined : BigInt(row.opening),
  closing: row.closing === null ? undefined : BigInt(row.closing),
  lines: row.lines,
  pending: row.pending,
  totals: toTotals(row.totals),
  balanced: row.balanced,
});

/** Small integers of JSON are numbers. */
const toTotals = (text: string): Record<string, bigint> =>
  Object.fromEntries(
    Object.entries(parseJson(text) as Record<string, number | bigint>).map(([asset, amount]) => [
      asset,
      BigInt(amount),
    ]),
  );

/** The letters and digits of an account, in upper case: banks write an IBAN with and without blanks. Empty for no account. */
export const accountKeyOf = (account: string | undefined): string =>
  (account ?? "").toUpperCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

/** A head of a file that is ready, beside the statement before it. */
export interface ShownHead extends Head {
  /**
   * The statement of the same account and asset that ends last before this one begins, where its closing balance is not this one's opening
   * balance: a statement between the two is missing.
   */
  readonly gap: { readonly statementID: string; readonly closing: bigint } | undefined;
}

/** A statement with its heads. */
export interface ShownStatement {
  readonly statement: StatementFile;
  readonly heads: readonly ShownHead[];
}

/** What a file gives before it is stored: the formats that it may have, and what was read in the one that was chosen. */
export interface Preview {
  readonly formats: readonly StatementFormat[];
  readonly format: StatementFormat | undefined;
  readonly heads: readonly Head[];
  /** The first lines. */
  readonly lines: readonly FileLine[];
  /** The number of all lines. */
  readonly linesRead: number;
  /** Why the file would be refused. */
  readonly refusal: StatementRefusal | undefined;
}
