/** The sides of a matching, such as a bank's statement on the left and the ledger's postings on the right. */
export type MatchSide = "left" | "right";

/** The texts of a line that passes compare. */
export const LINE_FIELDS = [
  "endToEndId",
  "instructionId",
  "providerId",
  "mandateId",
  "batchId",
  "text",
  "counterpartyName",
  "counterpartyAccount",
] as const;

export type LineField = (typeof LINE_FIELDS)[number];

/** A line of one side that is not matched yet. */
export interface OpenLine {
  /** Unique in the matching, and ascending in the order in which lines came. */
  readonly id: number;
  readonly side: MatchSide;
  /** The day of booking, in days since 1970-01-01. */
  readonly day: number;
  /** In the asset's smallest unit. Amounts of lines that belong together have the same sign on both sides. */
  readonly amount: bigint;
  readonly asset: string;
  /** What the provider kept of the gross amount, where the source says so, in the same unit. */
  readonly fee: bigint | undefined;
  readonly texts: Readonly<Partial<Record<LineField, string>>>;
}
