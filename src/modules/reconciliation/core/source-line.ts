import type { LineField } from "./matching/line.ts";

/** A line as its source gives it, before a matching knows on which side it stands. */
export interface SourceLine {
  /** The name of the line, which is unique in its source and never changes. */
  readonly sourceId: string;
  /** The day of booking, in days since 1970-01-01. */
  readonly day: number;
  /** In the asset's smallest unit: positive for what the source's accounts received, unless the source turns signs round. */
  readonly amount: bigint;
  readonly asset: string;
  /** What the provider kept of the gross amount, where the source says so, in the same unit. */
  readonly fee: bigint | undefined;
  readonly texts: Readonly<Partial<Record<LineField, string>>>;
  /** The name of the earlier line of the source that this one takes back in part or whole: of a refund, or of a reverted transaction. */
  readonly corrects: string | undefined;
  readonly evidence: LineEvidence;
}

/** What a person is shown of a line besides what passes compare. Absent members are undefined. */
export interface LineEvidence {
  /** The place that the line comes from: a transaction of a ledger, a payment, or a line of a statement. */
  readonly ledger?: string | undefined;
  readonly transactionID?: bigint | undefined;
  /** The account of the source's set that the posting touches, and the one at its other end. */
  readonly account?: string | undefined;
  readonly otherAccount?: string | undefined;
  readonly paymentID?: string | undefined;
  readonly statementID?: string | undefined;
  /** The place of the line in its statement's file, from 1. */
  readonly fileLine?: number | undefined;
  /** `YYYY-MM-DD`. */
  readonly valueDate?: string | undefined;
  readonly category?: string | undefined;
  /** The line as it stands in the file, cut to 500 characters. */
  readonly raw?: string | undefined;
}

/** Lines of a source in the order in which it got them. */
export interface SourceLinesPage {
  readonly lines: readonly SourceLine[];
  /** Where the next page begins. The position of the last page is where lines follow that the source gets later. */
  readonly position: string;
  readonly isLast: boolean;
}
