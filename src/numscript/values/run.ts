import type { Value } from "./values.ts";
import { POSTINGS_MAX, STEPS_MAX } from "#numscript/limits.ts";
import { ScriptError } from "#numscript/syntax/diagnostics.ts";

/** A posting that a run makes. */
export interface ScriptPosting {
  readonly source: string;
  readonly destination: string;
  readonly asset: string;
  /** The amount, which is never negative. Only the machine makes postings of zero. */
  readonly amount: bigint;
}

export interface BalanceQuery {
  readonly account: string;
  readonly asset: string;
}

/** Reads balances and metadata for a run. The answers must be those of the time at which the postings are applied. */
export interface Reader {
  /**
   * One balance for each query, in order; zero for an unknown account. There is at least one query, and no query is
   * repeated.
   */
  balances(queries: readonly BalanceQuery[]): readonly bigint[];
  /** The metadata of an account; undefined if the account does not exist. */
  metadata(account: string): Readonly<Record<string, string>> | undefined;
  /** The balances of an account in all precisions of an asset. Without this function, other precisions are not used. */
  scales?(account: string, base: string): readonly ScaledBalance[];
}

export interface ScaledBalance {
  readonly asset: string;
  readonly balance: bigint;
}

export interface RunInput {
  /** The variables as texts, by name without `$`. */
  readonly variables: ReadonlyMap<string, string>;
  /** The feature flags for the interpreter besides those in the script. Unknown flags are ignored. */
  readonly featureFlags: ReadonlySet<string>;
  readonly reader: Reader;
}

export interface RunOutput {
  /** The postings, possibly none, which a ledger refuses. */
  readonly postings: readonly ScriptPosting[];
  /** The metadata of `set_tx_meta`. */
  readonly metadata: ReadonlyMap<string, string>;
  /** The metadata of `set_account_meta`, by account. */
  readonly accountMetadata: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** (machine) The texts of `print`. */
  readonly printed: readonly string[];
}

/** Collects the results of a run, and ends the run if it gets too large. */
export class Output implements RunOutput {
  readonly postings: ScriptPosting[] = [];
  readonly metadata = new Map<string, string>();
  readonly accountMetadata = new Map<string, Map<string, string>>();
  readonly printed: string[] = [];
  #steps = 0;

  /** The work so far, in steps. */
  get steps(): number {
    return this.#steps;
  }

  /** Counts work. Throws "limit-exceeded" above `STEPS_MAX`. */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > STEPS_MAX) {
      throw new ScriptError("runtime", "limit-exceeded", {
        message: `the script takes more than ${STEPS_MAX} steps`,
      });
    }
  }

  post(posting: ScriptPosting): void {
    if (this.postings.length >= POSTINGS_MAX) {
      throw new ScriptError("runtime", "limit-exceeded", {
        message: `the script makes more than ${POSTINGS_MAX} postings`,
      });
    }
    this.postings.push(posting);
  }

  setMetadata(key: string, text: string): void {
    this.spend(stepsOf(key) + stepsOf(text));
    this.metadata.set(key, text);
  }

  setAccountMetadata(account: string, key: string, text: string): void {
    this.spend(stepsOf(key) + stepsOf(text));
    const metadata = this.accountMetadata.get(account) ?? new Map<string, string>();
    this.accountMetadata.set(account, metadata.set(key, text));
  }
}

/** The work of copying a text, in steps. */
export const stepsOf = (text: string): number => 1 + Math.floor(text.length / COPIED_LENGTH);

/** The number of characters that are copied in one step. */
const COPIED_LENGTH = 16;

export type Environment = Map<string, Value>;
