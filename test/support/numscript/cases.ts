import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { compileScript, type RunResult, runScript } from "#numscript";
import type { Runtime } from "#numscript/syntax/ast.ts";
import type { ScriptFailure } from "#numscript/syntax/diagnostics.ts";
import type { BalanceQuery, Reader, RunOutput } from "#numscript/values/run.ts";

export const RUNTIMES = ["machine", "experimental-interpreter"] as const satisfies Runtime[];

/** Balances by account and asset. */
export type Balances = Readonly<Record<string, Readonly<Record<string, number | string | bigint>>>>;
/** Texts by account and metadata key. */
export type Metadata = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The variables, the balances, the metadata and the flags with which a script runs. */
export interface Surroundings {
  readonly variables?: Readonly<Record<string, string>>;
  readonly balances?: Balances;
  /** Metadata of accounts. An account that is not listed does not exist. */
  readonly metadata?: Metadata;
  readonly flags?: readonly string[];
}

/** The outcome of a script: its postings as `source>destination ASSET amount`, or the code of an error. */
export interface Outcome {
  readonly p?: readonly string[];
  readonly e?: string;
  readonly msg?: string;
  /** Metadata of the transaction (`tx`), and of accounts. */
  readonly tx?: Readonly<Record<string, string>>;
  readonly acc?: Metadata;
}

/** A read of a run: the metadata of an account, or balances. */
export type Read = { readonly metadata: string } | Readonly<Record<string, readonly string[]>>;

/** A line of the conformance fixtures. */
export interface Case {
  readonly id: string;
  /** What the case shows, as a sentence. */
  readonly n?: string;
  readonly s: string;
  readonly v?: Readonly<Record<string, string>>;
  readonly b?: Balances;
  readonly m?: Metadata;
  readonly f?: readonly string[];
  /** The outcome in both runtimes (`R`), or the outcomes of each. */
  readonly R?: Outcome;
  readonly M?: Outcome;
  readonly I?: Outcome;
  /** The reads of each runtime. */
  readonly Q?: Readonly<Partial<Record<"M" | "I", readonly (string | object)[]>>>;
}

export function loadCases(name: "numscript" | "numscript-random"): readonly Case[] {
  const path = resolve(import.meta.dirname, `../../fixtures/${name}.jsonl`);
  const lines = readFileSync(path, "utf8").trim().split("\n");
  // `JSON.parse` is exact here, because large numbers are written as texts.
  return lines.map((line) => JSON.parse(line) as Case);
}

export const surroundingsOf = ({ v, b, m, f }: Case): Surroundings => ({
  ...(v === undefined ? {} : { variables: v }),
  ...(b === undefined ? {} : { balances: b }),
  ...(m === undefined ? {} : { metadata: m }),
  ...(f === undefined ? {} : { flags: f }),
});

export const expectedOf = (
  { R, M, I }: Pick<Case, "R" | "M" | "I">,
  runtime: Runtime,
): Outcome | undefined => (runtime === "machine" ? M : I) ?? R;

/** The expected reads, in the form in which `MemoryReader` records reads. */
export function expectedReads({ Q }: Case, runtime: Runtime): readonly Read[] | undefined {
  return Q?.[runtime === "machine" ? "M" : "I"]?.map((read): Read => {
    if (typeof read === "string") return { metadata: read.replace("account ", "") };
    const [account] = "meta" in read ? Object.keys(read.meta as object) : [];
    return account === undefined ? (read as Read) : { metadata: account };
  });
}

/** A reader that answers from memory and records its reads. */
export class MemoryReader implements Reader {
  readonly reads: Read[] = [];
  readonly #balances: Balances;
  readonly #metadata: Metadata;

  constructor({ balances = {}, metadata = {} }: Surroundings) {
    this.#balances = balances;
    this.#metadata = metadata;
  }

  balances(queries: readonly BalanceQuery[]): bigint[] {
    const read: Record<string, string[]> = {};
    for (const { account, asset } of queries) (read[account] ??= []).push(asset);
    this.reads.push(read);
    return queries.map(({ account, asset }) => BigInt(this.#of(account)[asset] ?? 0));
  }

  metadata(account: string): Readonly<Record<string, string>> | undefined {
    this.reads.push({ metadata: account });
    return Object.hasOwn(this.#metadata, account) ? this.#metadata[account] : undefined;
  }

  scales(account: string, base: string) {
    return Object.entries(this.#of(account))
      .filter(([asset]) => asset === base || asset.startsWith(`${base}/`))
      .map(([asset, balance]) => ({ asset, balance: BigInt(balance) }));
  }

  #of(account: string): Readonly<Record<string, number | string | bigint>> {
    return Object.hasOwn(this.#balances, account) ? (this.#balances[account] ?? {}) : {};
  }
}

/** Compiles and runs a script in memory. */
export function execute(
  script: string,
  runtime: Runtime,
  surroundings: Surroundings & { reader?: Reader } = {},
): RunResult {
  const compiled = compileScript(script, runtime);
  if (!compiled.ok) return { ...compiled, steps: 0 };
  return runScript(compiled.script, {
    variables: new Map(Object.entries(surroundings.variables ?? {})),
    featureFlags: new Set(surroundings.flags),
    reader: surroundings.reader ?? new MemoryReader(surroundings),
  });
}

/** Compiles and runs a script; returns the outcome in the form of the conformance fixtures. */
export function outcomeOf(
  script: string,
  runtime: Runtime,
  surroundings: Surroundings & { reader?: Reader } = {},
): Outcome {
  const result = execute(script, runtime, surroundings);
  return result.ok
    ? describeOutput(result.output)
    : {
        e: codeOf(result.failure, runtime),
        msg: result.failure.diagnostics.map(({ message }) => message).join("\n"),
      };
}

function describeOutput({ postings, metadata, accountMetadata }: RunOutput): Outcome {
  const tx = Object.fromEntries(metadata);
  const acc = Object.fromEntries(
    Array.from(accountMetadata, ([account, texts]) => [account, Object.fromEntries(texts)]),
  );
  return {
    ...(postings.length === 0 ? { e: "NO_POSTINGS" } : { p: postings.map(describePosting) }),
    ...(metadata.size === 0 ? {} : { tx }),
    ...(accountMetadata.size === 0 ? {} : { acc }),
  };
}

export const describePosting = ({
  source,
  destination,
  asset,
  amount,
}: RunOutput["postings"][number]): string => `${source}>${destination} ${asset} ${amount}`;

/** The error code that clients get for a failure. */
export function codeOf({ reason }: ScriptFailure, runtime: Runtime): string {
  const isMachine = runtime === "machine";
  switch (reason) {
    case "syntax":
      return isMachine ? "COMPILATION_FAILED" : "INTERPRETER_PARSE";
    case "invalid":
      return isMachine ? "COMPILATION_FAILED" : "INTERPRETER_RUNTIME";
    case "missing-funds":
      return "INSUFFICIENT_FUND";
    case "missing-account":
      return isMachine ? "NOT_FOUND" : "INTERPRETER_RUNTIME";
    case "runtime":
      return isMachine ? "INTERNAL" : "INTERPRETER_RUNTIME";
  }
}
