import type { Value } from "./values.ts";
import { POSTINGS_MAX, STEPS_MAX } from "#numscript/limits.ts";
import { ScriptError } from "#numscript/syntax/diagnostics.ts";

/** What a run moves. */
export interface ScriptPosting {
  readonly source: string;
  readonly destination: string;
  readonly asset: string;
  /** Never negative; the machine also gives postings of zero. */
  readonly amount: bigint;
}

export interface BalanceQuery {
  readonly account: string;
  readonly asset: string;
}

/** What a run asks of its ledger. Answers are those of the moment in which the postings are applied. */
export interface Reader {
  /** One balance for each query, in order; zero where an account is unknown. Queries are not empty and not repeated. */
  balances(queries: readonly BalanceQuery[]): readonly bigint[];
  /** The metadata of an account, `undefined` where there is no such account. */
  metadata(account: string): Readonly<Record<string, string>> | undefined;
  /** Balances of the account in all precisions of an asset; a reader without it knows none. */
  scales?(account: string, base: string): readonly ScaledBalance[];
}

export interface ScaledBalance {
  readonly asset: string;
  readonly balance: bigint;
}

export interface RunInput {
  /** By name without `$`, as texts. */
  readonly variables: ReadonlyMap<string, string>;
  /** Feature flags that the interpreter gets beside those of the script; unknown ones are ignored. */
  readonly featureFlags: ReadonlySet<string>;
  readonly reader: Reader;
}

export interface RunOutput {
  /** May be empty, which a ledger refuses. */
  readonly postings: readonly ScriptPosting[];
  /** What `set_tx_meta` has set. */
  readonly metadata: ReadonlyMap<string, string>;
  /** What `set_account_meta` has set, by account. */
  readonly accountMetadata: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** (machine) What `print` has written. */
  readonly printed: readonly string[];
}

/** Collects the results of a run, and ends it where it gets too large. */
export class Output implements RunOutput {
  readonly postings: ScriptPosting[] = [];
  readonly metadata = new Map<string, string>();
  readonly accountMetadata = new Map<string, Map<string, string>>();
  readonly printed: string[] = [];
  #steps = 0;

  /** Work that was done so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Counts work. Throws where there is too much of it. */
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

/** Work of copying a text. */
export const stepsOf = (text: string): number => 1 + Math.floor(text.length / COPIED_LENGTH);

/** So many characters are copied in one step. */
const COPIED_LENGTH = 16;

export type Environment = Map<string, Value>;
