import { AMOUNT_DIGITS_MAX } from "./limits.ts";
import { mergeMetadata, withoutNulls } from "./metadata.ts";
import { ASSET_LENGTH_MAX, isAddress, parseAccount } from "./names.ts";
import type { Account, AccountMetadata, Asset, Metadata, Posting, RunScript } from "./types.ts";
import {
  type BalanceQuery,
  type CompiledScript,
  compileScript,
  type Diagnostic,
  printDiagnostics,
  printPositions,
  type Reader,
  type RunOutput,
  runScript,
  type Runtime,
  type ScriptFailure,
  type ScriptPosting,
} from "#numscript";
import { AppError, type FailureKind } from "#platform/errors.ts";

/** The settings of a deployment for scripts. */
export interface ScriptSettings {
  /** The runtime of requests that do not name one. */
  readonly runtime: Runtime;
  /** The feature flags of all scripts for the interpreter. */
  readonly featureFlags: ReadonlySet<string>;
}

/** The contents of a transaction, from a request or from a script. */
export interface Movements {
  readonly postings: readonly Posting[];
  readonly metadata: Metadata;
  readonly accountMetadata: AccountMetadata;
}

/** A cache of compiled scripts. Clients mostly send the same few scripts with different variables. */
export interface ScriptCache {
  get(key: string): CompiledScript | undefined;
  set(key: string, script: CompiledScript): void;
}

/** The state of the ledger that a script may read, at the time at which its postings are applied. */
export interface ScriptState {
  balance(account: Account, asset: Asset): bigint;
  /** The assets with a base name, in all precisions, such as `EUR` and `EUR/2`. */
  scalesOf(base: string): readonly Asset[];
  /** The metadata of an account; undefined if the account does not exist. */
  accountMetadata(account: Account): Metadata | undefined;
}

/** Runs the scripts of commands, and counts their work. */
export class Scripts {
  #steps = 0;
  readonly #settings: ScriptSettings;
  readonly #cache: ScriptCache;
  readonly #reader: Reader;

  constructor(settings: ScriptSettings, cache: ScriptCache, reader: ScriptState) {
    this.#settings = settings;
    this.#cache = cache;
    // An account whose name is not a valid address does not exist.
    const balanceOf = (account: string, asset: string): bigint =>
      isAddress(account) ? reader.balance(account, asset as Asset) : 0n;
    this.#reader = {
      balances: (queries: readonly BalanceQuery[]) =>
        queries.map(({ account, asset }) => balanceOf(account, asset)),
      scales: (account, base) =>
        reader.scalesOf(base).map((asset) => ({ asset, balance: balanceOf(account, asset) })),
      metadata: (account) => (isAddress(account) ? reader.accountMetadata(account) : undefined),
    };
  }

  /** The work of all runs so far, in steps. Parsing a script takes a step for each character. */
  get steps(): number {
    return this.#steps;
  }

  runtimeOf({ runtime }: { readonly runtime?: Runtime | undefined }): Runtime {
    return runtime ?? this.#settings.runtime;
  }

  /**
   * Runs a script, and merges the metadata of its request with the metadata that the script has set. Throws `COMPILATION_FAILED`,
   * `INTERPRETER_PARSE`, `INTERPRETER_RUNTIME`, `INSUFFICIENT_FUND`, `NOT_FOUND`, `NO_POSTINGS`, `METADATA_OVERRIDE`.
   */
  run(command: RunScript): Movements {
    const runtime = this.runtimeOf(command);
    const { plain, variables } = command.script;
    const result = runScript(this.#compile(plain, runtime), {
      variables: new Map(Object.entries(variables)),
      featureFlags: this.#settings.featureFlags,
      reader: this.#reader,
    });
    this.#steps += result.steps;
    if (!result.ok) throw toAppError(result.failure, plain, runtime);
    const { output } = result;
    if (output.postings.length === 0) {
      throw new AppError("NO_POSTINGS", "numscript execution returned no postings");
    }
    return {
      postings: output.postings.map(toPosting),
      metadata: overridden(output.metadata, command.metadata ?? {}),
      accountMetadata: mergedAccounts(
        output.accountMetadata,
        withoutNulls(command.accountMetadata ?? {}),
      ),
    };
  }

  #compile(plain: string, runtime: Runtime): CompiledScript {
    const key = `${runtime} ${plain}`;
    const known = this.#cache.get(key);
    if (known !== undefined) return known;
    this.#steps += plain.length;
    const compiled = compileScript(plain, runtime);
    if (!compiled.ok) throw toAppError(compiled.failure, plain, runtime);
    this.#cache.set(key, compiled.script);
    return compiled.script;
  }
}

/** The kind of error for each reason of a failure, by runtime. */
const FAILURE_KINDS: Readonly<Record<Runtime, Record<ScriptFailure["reason"], FailureKind>>> = {
  machine: {
    syntax: "COMPILATION_FAILED",
    invalid: "COMPILATION_FAILED",
    "missing-funds": "INSUFFICIENT_FUND",
    "missing-account": "NOT_FOUND",
    // The reference server answers 500, although the fault is in the script.
    runtime: "COMPILATION_FAILED",
  },
  "experimental-interpreter": {
    syntax: "INTERPRETER_PARSE",
    invalid: "INTERPRETER_RUNTIME",
    "missing-funds": "INSUFFICIENT_FUND",
    "missing-account": "INTERPRETER_RUNTIME",
    runtime: "INTERPRETER_RUNTIME",
  },
};

function toAppError({ reason, diagnostics }: ScriptFailure, plain: string, runtime: Runtime) {
  const positions = printPositions(plain, diagnostics satisfies readonly Diagnostic[]);
  return new AppError(
    FAILURE_KINDS[runtime][reason],
    printDiagnostics(plain, diagnostics),
    positions === "" ? {} : { details: positions },
  );
}

const AMOUNT_LIMIT = 10n ** BigInt(AMOUNT_DIGITS_MAX);

/** Checks the amount and the names of a posting. Names in scripts are well formed, but may be longer than a ledger allows. */
function toPosting({ source, destination, asset, amount }: ScriptPosting): Posting {
  if (amount >= AMOUNT_LIMIT) {
    throw new AppError("VALIDATION", `an amount has more than ${AMOUNT_DIGITS_MAX} digits`);
  }
  if (asset.length > ASSET_LENGTH_MAX) {
    throw new AppError("VALIDATION", `an asset has at most ${ASSET_LENGTH_MAX} characters`);
  }
  return {
    source: parseAccount(source, "source"),
    destination: parseAccount(destination, "destination"),
    amount,
    // The asset literals of a script for the machine are not checked, as on the reference server.
    asset: asset as Asset,
  };
}

/** Merges metadata. Throws `METADATA_OVERRIDE` if the request has a key that the script has set to a text that is not empty. */
function overridden(set: RunOutput["metadata"], requested: Metadata): Metadata {
  for (const key of Object.keys(requested)) {
    if ((set.get(key) ?? "") !== "") {
      throw new AppError("METADATA_OVERRIDE", `cannot override metadata '${key}'`);
    }
  }
  return mergeMetadata(Object.fromEntries(set), requested);
}

function mergedAccounts(
  set: RunOutput["accountMetadata"],
  requested: AccountMetadata,
): AccountMetadata {
  const merged = new Map<string, Metadata>();
  for (const [address, metadata] of set) {
    merged.set(parseAccount(address, "account metadata"), Object.fromEntries(metadata));
  }
  for (const [address, metadata] of Object.entries(requested)) {
    merged.set(address, mergeMetadata(merged.get(address) ?? {}, metadata));
  }
  return Object.fromEntries(merged);
}
