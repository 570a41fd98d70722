import type { Api } from "#scripts/lib/api.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/**
 * A noun of the command line: what an operator works on. Each file of `nouns/` exports one as `noun`, under the file's name;
 * help and completion follow from it.
 */
export interface Noun {
  readonly summary: string;
  readonly verbs: Readonly<Record<string, Verb>>;
}

/** What an operator does with a noun. */
export interface Verb {
  /** A sentence without its full stop. */
  readonly summary: string;
  /** The words that follow the verb, in their order; each of them is needed. */
  readonly parameters?: readonly string[];
  readonly options?: Readonly<Record<string, Option>>;
  readonly run: (call: Call) => Promise<Outcome>;
}

export interface Option {
  /** A `list` has commas or spaces between its items, and may be given more than once. */
  readonly kind: "text" | "list" | "flag";
  readonly meaning: string;
}

/** One call of a verb. Names are those that the verb declares. */
export interface Call {
  readonly parameter: (name: string) => string;
  readonly text: (name: string) => string | undefined;
  readonly list: (name: string) => readonly string[];
  readonly flag: (name: string) => boolean;
  /** Tells the operator how far it is. It goes to standard error, so that it is no part of the result. */
  readonly note: (line: string) => void;
  readonly env: NodeJS.ProcessEnv;
  /** Opens the API of the server with a token that has these scopes. */
  readonly connect: (scopes: readonly string[]) => Promise<Api>;
}

/** What a call has found or done. */
export interface Outcome {
  /** The result for programs, which `--json` prints. */
  readonly data: unknown;
  /** The same for people. */
  readonly lines: readonly string[];
  /** Why the exit code says that something is wrong, although the call has a result. */
  readonly failure?: string;
}

/** The command line is wrong, which has an exit code of its own. */
export class UsageError extends OperatorError {
  override name = "UsageError";
}

/** The nouns by their names, in the order in which the help shows them. */
export type Nouns = Readonly<Record<string, Noun>>;
