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

/** What a run reads from its ledger. The answers are those of the time at which the postings are applied. */
export interface Reader {
  /**
   * One balance for each query, in order; zero where an account is unknown. There is at least one query, and none is
   * repeated.
   */
  balances(queries: readonly BalanceQuery[]): readonly bigint[];
  /** The metadata of an account, `undefined` where the account does not exist. */
  metadata(account: string): Readonly<Record<string, string>> | undefined;
  /** The balances of an account in all precisions of an asset. A reader without this function knows none. */
  scales?(account: string, base: string): readonly ScaledBalance[];
}

export interface ScaledBalance {
  readonly asset: string;
  readonly balance: bigint;
}

export interface RunInput {
  /** The variables as texts, by name without `$`. */
  readonly variables: ReadonlyMap<string, string>;
  /** The feature flags that the interpreter gets besides those of the script. Unknown ones are ignored. */
  readonly featureFlags: ReadonlySet<string>;
  readonly reader: Reader;
}

export interface RunOutput {
  /** The postings. There may be none, which a ledger refuses. */
  readonly postings: readonly ScriptPosting[];
  /** The metadata that `set_tx_meta` has set. */
  readonly metadata: ReadonlyMap<string, string>;
  /** The metadata that `set_account_meta` has set, by account. */
  readonly accountMetadata: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** (machine) What `print` has written. */
  readonly printed: readonly string[];
}

/** Collects the results of a run, and ends the run if it gets too large. */
export class Output implements RunOutput {
  readonly postings: ScriptPosting[] = [];
  readonly metadata = new Map<string, string>();
  readonly accountMetadata = new Map<string, Map<string, string>>();
  readonly printed: string[] = [];
  #steps = 0;

  /** The work that was done so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Counts work. Throws if there is too much of it. */
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

/** The work of copying a text. */
export const stepsOf = (text: string): number => 1 + Math.floor(text.length / COPIED_LENGTH);

/** This many characters are copied in one step. */
const COPIED_LENGTH = 16;

export type Environment = Map<string, Value>;
