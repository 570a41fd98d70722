import type { Percentiles } from "./percentiles.ts";

/** A job of the load generator. Jobs and results cross a process boundary, so that they are plain data. */
export interface LoadJob {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Requests under way at once, each on a connection of its own. */
  readonly concurrency: number;
  readonly durationMs: number;
  readonly load: Load;
  readonly beside?: Beside | undefined;
}

/** The load of an additional client, with a pause after each request. Its requests do not count. */
export interface Beside {
  readonly load: Load;
  readonly pauseMs: number;
}

export type Load =
  | { readonly kind: "get"; readonly path: string }
  /** The paths in order, repeated from the first. */
  | { readonly kind: "walk"; readonly paths: readonly string[] }
  | { readonly kind: "post"; readonly path: string; readonly body: string }
  | {
      /** Single transactions, bulks, reads and lists of a ledger, in a fixed proportion. */
      readonly kind: "mixed";
      readonly ledger: string;
      readonly accounts: number;
    }
  | { readonly kind: "account"; readonly ledger: string; readonly accounts: number }
  | { readonly kind: "transaction"; readonly ledger: string; readonly transactions: number }
  | {
      /** Pages of transactions by a filter for one of `count` values. */
      readonly kind: "filter";
      readonly ledger: string;
      readonly count: number;
      readonly by: "account" | "metadata" | "reference";
    }
  | {
      readonly kind: "commit";
      readonly ledger: string;
      readonly accounts: number;
      /** The form of transactions; `simple` by default. */
      readonly form?: TransactionForm;
    }
  /** Credits of the main balances of wallets. */
  | { readonly kind: "credit"; readonly wallets: number }
  | {
      readonly kind: "bulk";
      readonly ledger: string;
      readonly accounts: number;
      readonly size: number;
      /** The form of transactions; `simple` by default. */
      readonly form?: TransactionForm;
    };

/** The form of a transaction: a single posting, a payment that is divided among three accounts, or such a payment made by a script. */
export type TransactionForm = "simple" | "divided" | "script";

export interface LoadResult extends Percentiles {
  readonly requests: number;
  readonly seconds: number;
  /** The time of each request, in milliseconds. */
  readonly timesMs: readonly number[];
  /** Share of the time in which the generator was busy. */
  readonly generatorBusy: number;
}

/** The answer of the generator: a result, or the message of an error. */
export type LoadAnswer =
  | { readonly ok: true; readonly result: LoadResult }
  | { readonly ok: false; readonly error: string };
