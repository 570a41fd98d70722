import type { Api } from "#scripts/lib/api.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/**
 * A noun of the command line: a kind of resource that operators work on. Each file of `nouns/` exports a noun as `noun`, under the file's
 * name. Help and completion are derived from nouns.
 */
export interface Noun {
  readonly summary: string;
  readonly verbs: Readonly<Record<string, Verb>>;
}

/** An action of operators on a noun. */
export interface Verb {
  /** The summary: a sentence without its full stop. */
  readonly summary: string;
  /** The words that follow the verb, in their order; all are required. */
  readonly parameters?: readonly string[];
  readonly options?: Readonly<Record<string, Option>>;
  readonly run: (call: Call) => Promise<Outcome>;
}

export interface Option {
  /** The kind of value. A `list` has commas or spaces between its items, and may be given more than once. */
  readonly kind: "text" | "list" | "flag";
  readonly meaning: string;
}

/** A call of a verb. Names of parameters and options are those that the verb declares. */
export interface Call {
  readonly parameter: (name: string) => string;
  readonly text: (name: string) => string | undefined;
  readonly list: (name: string) => readonly string[];
  readonly flag: (name: string) => boolean;
  /** Tells the operator about progress, on standard error, so that the line is no part of the result. */
  readonly note: (line: string) => void;
  readonly env: NodeJS.ProcessEnv;
  /** Opens the API of the server with a token that has `scopes`. */
  readonly connect: (scopes: readonly string[]) => Promise<Api>;
}

export interface Outcome {
  /** The result for programs, which `--json` prints. */
  readonly data: unknown;
  /** The result for people, line by line. */
  readonly lines: readonly string[];
  /** The reason for the exit code of a failure, for a call that nevertheless has a result. */
  readonly failure?: string;
}

/** The error of a wrong command line, which has an exit code of its own. */
export class UsageError extends OperatorError {
  override name = "UsageError";
}

/** The nouns by their names, in the order in which the help shows them. */
export type Nouns = Readonly<Record<string, Noun>>;
