import type { Api } from "#scripts/lib/api.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/**
 * A noun of the command line: a kind of resource that operators work on. Each file of `nouns/` exports a noun as `noun`, under the file's
 * name; the folder is its group in the help. Help, completion and docs/command-line.md are derived from nouns. Most verbs are one operation
 * of the API, which `api/list.ts`, `api/show.ts` and `api/act.ts` make from a declaration.
 */
export interface Noun {
  /** What the noun is, as a sentence without its full stop. */
  readonly summary: string;
  /** Other words for the noun, which no help lists. */
  readonly aliases?: readonly string[];
  /** What the noun does without a verb. */
  readonly alone?: Verb;
  readonly verbs: Readonly<Record<string, Verb>>;
}

/** An action of operators on a noun. */
export interface Verb {
  /** The summary: a sentence without its full stop. */
  readonly summary: string;
  /** The words that follow the verb, in their order; all are required. */
  readonly parameters?: readonly string[];
  /** The name of the words that may follow the parameters, any number of them. */
  readonly words?: string;
  readonly options?: Readonly<Record<string, Option>>;
  /** The operation that a declared verb calls. */
  readonly operation?: Operation;
  readonly run: (call: Call) => Promise<Result>;
}

/** An operation of the API as a verb declares it. */
export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path, with the parameters of the verb as `{names}`. */
  readonly path: string;
  readonly scope: string;
}

export interface Option {
  /**
   * The kind of value. A `list` has commas or spaces between its items, and may be given more than once. `pairs` are texts such as `key=value`,
   * one each time that the option is given.
   */
  readonly kind: "text" | "list" | "pairs" | "flag";
  readonly meaning: string;
}

/** A call of a verb. Names of parameters and options are those that the verb declares. */
export interface Call {
  readonly parameter: (name: string) => string;
  /** The words after the parameters. */
  readonly words: () => readonly string[];
  readonly text: (name: string) => string | undefined;
  readonly list: (name: string) => readonly string[];
  /** The texts of an option of the kind `pairs`. */
  readonly pairs: (name: string) => readonly string[];
  readonly flag: (name: string) => boolean;
  /** Tells the operator about progress, on standard error, so that the line is no part of the result. */
  readonly note: (line: string) => void;
  /**
   * Lets the operator type a name again before something is lost. Throws `OperatorError` for another answer, and where nobody is there to
   * answer. A verb that calls it declares the option `--yes` (`YES`), with which nobody is asked.
   */
  readonly confirm: (name: string, loss: string) => Promise<void>;
  readonly env: NodeJS.ProcessEnv;
  /** The value of `--url`. */
  readonly url: string | undefined;
  /** Opens the API of the server with a token that has `scopes`. */
  readonly connect: (scopes: readonly string[]) => Promise<Api>;
}

/** The option of a verb that asks for a confirmation. */
export const YES: Readonly<Record<"yes", Option>> = {
  yes: { kind: "flag", meaning: "asks for no confirmation" },
};

/** What a verb has to say: a whole, a list of any length, or the lines of a text. */
export type Result = Outcome | RowStream | LineStream;

export interface Outcome {
  /** The result for programs, which `--json` prints. */
  readonly data: unknown;
  /** The result for people, line by line. */
  readonly lines: readonly string[];
  /** The reason for the exit code of a failure, for a call that nevertheless has a result. */
  readonly failure?: string;
}

/** A list, which is printed while it is read: as a table, or as a JSON array with an item in each line. */
export interface RowStream {
  readonly kind: "rows";
  readonly titles: readonly string[];
  /** The items for programs, each with its cells of the table. */
  readonly rows: AsyncIterable<{ readonly item: unknown; readonly cells: readonly string[] }>;
  /** The sentence for a list without items. */
  readonly empty: string;
  /** What the operator is told after the list; undefined for nothing. */
  readonly remark?: () => string | undefined;
}

/** A text, printed while it is read, also with `--json`. */
export interface LineStream {
  readonly kind: "lines";
  readonly lines: AsyncIterable<string>;
}

/** The error of a wrong command line, which has an exit code of its own. */
export class UsageError extends OperatorError {
  override name = "UsageError";
}

/** A noun in its group. */
export type GroupedNoun = Noun & {
  /** The heading of the noun in the help. */
  readonly group: string;
};

/** The nouns by their names, in the order in which the help shows them. */
export type Nouns = Readonly<Record<string, GroupedNoun>>;
