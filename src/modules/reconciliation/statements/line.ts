import type { LineField } from "#modules/reconciliation/core/matching/line.ts";

/** A line of a file, as it is kept and shown. */
export interface FileLine {
  /** The key of the line in its source, from 1. Keys ascend in the order in which files were read, and no key is used twice. */
  readonly key: number;
  /** The id of the statement that the file is. */
  readonly statementID: string;
  /** The day of booking, in days since 1970-01-01. */
  readonly day: number;
  /** `YYYY-MM-DD`. */
  readonly valueDate: string | undefined;
  /** What the movement changed the balance by, in the asset's smallest unit. */
  readonly amount: bigint;
  readonly asset: string;
  /** What the provider kept of the gross amount, in the same unit. */
  readonly fee: bigint | undefined;
  readonly texts: Readonly<Partial<Record<LineField, string>>>;
  readonly category: string | undefined;
  /** The line of the file at which it begins, from 1. */
  readonly fileLine: number;
  /** The line as it stands in the file, of at most `RAW_LENGTH_MAX` characters. */
  readonly raw: string;
}

/** Longest source text that a line keeps, in UTF-16 code units. */
export const RAW_LENGTH_MAX = 500;
