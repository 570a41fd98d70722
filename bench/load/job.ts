import type { Percentiles } from "./percentiles.ts";

/** What the load generator is asked to do. Jobs and results cross a process boundary, so they are plain data. */
export interface LoadJob {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Requests under way at once, each on a connection of its own. */
  readonly concurrency: number;
  readonly durationMs: number;
  readonly load: Load;
  readonly beside?: Beside | undefined;
}

/** What one more client sends meanwhile, with a pause after each request. It does not count. */
export interface Beside {
  readonly load: Load;
  readonly pauseMs: number;
}

/** Which requests are sent. */
export type Load =
  | { readonly kind: "get"; readonly path: string }
  /** One path after the other, and again from the first on. */
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
      /** Pages of transactions that a filter picks by one of `count` values. */
      readonly kind: "filter";
      readonly ledger: string;
      readonly count: number;
      readonly by: "account" | "metadata" | "reference";
    }
  | {
      readonly kind: "commit";
      readonly ledger: string;
      readonly accounts: number;
      /** `simple` if not given. */
      readonly form?: TransactionForm;
    }
  /** Credits of the main balances of wallets. */
  | { readonly kind: "credit"; readonly wallets: number }
  | {
      readonly kind: "bulk";
      readonly ledger: string;
      readonly accounts: number;
      readonly size: number;
      /** `simple` if not given. */
      readonly form?: TransactionForm;
    };

/** A single posting, a payment that is divided among three accounts, or the same payment made by a script. */
export type TransactionForm = "simple" | "divided" | "script";

export interface LoadResult extends Percentiles {
  readonly requests: number;
  readonly seconds: number;
  /** How long each request took. */
  readonly timesMs: readonly number[];
  /** Share of the time in which the generator itself was busy. */
  readonly generatorBusy: number;
}

/** What the generator sends back: a result, or why there is none. */
export type LoadAnswer =
  | { readonly ok: true; readonly result: LoadResult }
  | { readonly ok: false; readonly error: string };
