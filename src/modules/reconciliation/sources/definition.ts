import type { LineField } from "#modules/reconciliation/core/matching/line.ts";
import type {
  CsvMapping,
  Encoding,
  StatementFormat,
} from "#modules/reconciliation/core/statements/index.ts";

export const SOURCE_KINDS = ["statement", "accounts", "connector", "pool"] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** Files of a bank or provider, which are uploaded. */
export interface StatementDefinition {
  readonly kind: "statement";
  /** The account of which all files must be; files that name no account are taken, too. */
  readonly account?: string | undefined;
  /** Absent: it is recognised from the first bytes of a file. */
  readonly format?: StatementFormat | undefined;
  /** How files of the format `csv` are read. */
  readonly mapping?: CsvMapping | undefined;
  readonly encoding?: Encoding | undefined;
  /** Decimals by currency, where they are not those of ISO 4217. */
  readonly decimals?: Readonly<Record<string, number>> | undefined;
}

export const DIRECTIONS = ["in", "out", "both"] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** The postings that touch accounts of a ledger. */
export interface AccountsDefinition {
  readonly kind: "accounts";
  readonly ledger: string;
  /** An address, or a pattern of the ledger's filters: `bank:main`, `clearing:`, `clearing:...`. */
  readonly account: string;
  /** Which postings: those that pay into the accounts, those that pay out of them, or both. */
  readonly direction: Direction;
  /** Whether amounts have the other sign: for accounts that owe what a bank holds. */
  readonly negate: boolean;
  /** The metadata keys of a transaction that give a line its texts. Without an own key, `providerId` is the transaction's reference. */
  readonly references: Readonly<Partial<Record<LineField, string>>>;
}

/** The payments of an installed connector. */
export interface ConnectorDefinition {
  readonly kind: "connector";
  readonly connectorID: string;
}

/** The payments from and to the accounts of a pool. */
export interface PoolDefinition {
  readonly kind: "pool";
  readonly poolID: string;
}

export type SourceDefinition =
  | StatementDefinition
  | AccountsDefinition
  | ConnectorDefinition
  | PoolDefinition;
