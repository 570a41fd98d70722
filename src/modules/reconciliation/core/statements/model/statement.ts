import type { FilePosition } from "./statement-error.ts";

/**
 * What a file gives, in order: for each statement its head, its lines and its end. Nothing of a statement counts before its
 * end has come, because balances and control sums are checked there; and nothing of a file before all of it was read.
 */
export type StatementEvent =
  | { readonly type: "head"; readonly head: StatementHead }
  | { readonly type: "line"; readonly line: StatementLine }
  | { readonly type: "end"; readonly end: StatementEnd };

/** What a statement says of itself. In the head's event, members that follow the lines in the file are undefined. */
export interface StatementHead {
  /** The place of the statement in the file, from 0. */
  readonly index: number;
  /** The name that the bank gives to the statement: `Stmt/Id`, `:20:` and `:28C:`, the batch of a settlement. */
  readonly id: string | undefined;
  /** The IBAN or account number as the file writes it. */
  readonly account: string | undefined;
  /** The asset of the account, such as `EUR/2`; undefined for a report of several currencies. */
  readonly asset: string | undefined;
  /** The first and the last day of the period, as `YYYY-MM-DD`. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Balances before the first and after the last line, in the asset's smallest unit. */
  readonly opening: bigint | undefined;
  readonly closing: bigint | undefined;
}

/** A statement after its last line. */
export interface StatementEnd extends StatementHead {
  /** The number of lines. */
  readonly lines: number;
  /** The number of entries that are not booked yet, which are no lines. */
  readonly pending: number;
  /** The sum of the lines of each asset. */
  readonly totals: ReadonlyMap<string, bigint>;
  /** Whether both balances were there and agree with the lines. */
  readonly balanced: boolean;
}

/** The names that others gave to what moved. */
export interface LineReferences {
  /** What the payer called the payment: `EndToEndId`, `EREF+`, a merchant's reference. */
  readonly endToEndId: string | undefined;
  /** What the account's owner called the order: `InstrId`, `KREF+`, the customer reference. */
  readonly instructionId: string | undefined;
  /** What the bank or provider calls it: `AcctSvcrRef`, the bank reference, `FITID`, a charge or PSP reference. */
  readonly providerId: string | undefined;
  /** The mandate of a direct debit. */
  readonly mandateId: string | undefined;
  /** The collection, payout or settlement batch that the line belongs to. */
  readonly batchId: string | undefined;
  /** The free text, of at most `RAW_CHARS_MAX` characters. */
  readonly text: string | undefined;
}

/** One movement of an account. */
export interface StatementLine {
  /** The day of booking, as `YYYY-MM-DD`. */
  readonly date: string;
  readonly valueDate: string | undefined;
  /** What the movement changed the balance by, in the asset's smallest unit: positive when the account received it. */
  readonly amount: bigint;
  readonly asset: string;
  /** What the provider kept, in the same unit: the gross amount is `amount + fee`. Negative when it was given back. */
  readonly fee: bigint | undefined;
  readonly references: LineReferences;
  readonly counterparty: {
    readonly name: string | undefined;
    readonly account: string | undefined;
  };
  /** The kind of movement in the words of the format: `PMNT/RCDT/ESCT`, `NTRF`, `195`, `charge`. */
  readonly category: string | undefined;
  readonly status: "booked";
  /** The line, record or element as it stands in the file, of at most `RAW_CHARS_MAX` characters. */
  readonly raw: string;
  /** Where the line begins in the file. */
  readonly position: FilePosition;
}

export const NO_REFERENCES: LineReferences = {
  endToEndId: undefined,
  instructionId: undefined,
  providerId: undefined,
  mandateId: undefined,
  batchId: undefined,
  text: undefined,
};
