/** A regular expression as a tree. The tree has neither groups nor greed, because callers only ask whether the pattern matches. */
export type PatternNode<S> =
  | { readonly kind: "characters"; readonly set: S }
  | { readonly kind: "assertion"; readonly assertion: Assertion }
  | { readonly kind: "sequence"; readonly items: readonly PatternNode<S>[] }
  | { readonly kind: "choice"; readonly options: readonly PatternNode<S>[] }
  | {
      readonly kind: "repetition";
      readonly item: PatternNode<S>;
      readonly least: number;
      /** The upper bound; Infinity for no bound. */
      readonly most: number;
    };

/** A condition between two characters. */
export type Assertion =
  | "start"
  | "end"
  | "lineStart"
  | "lineEnd"
  | "wordBoundary"
  | "noWordBoundary";

/** The error of a text that is no pattern, in the words of the reference server. */
export class PatternError extends Error {
  constructor(why: string, where: string) {
    super(`error parsing regexp: ${why}: \`${where.length > SHOWN_MAX ? cut(where) : where}\``);
    this.name = "PatternError";
  }
}

/** Longest part of a pattern that a message repeats. */
const SHOWN_MAX = 80;
const cut = (text: string): string => `${text.slice(0, SHOWN_MAX)}…`;
