/**
 * A regular expression as a tree. Only whether it matches is of interest, so that the tree has neither groups nor
 * greed.
 */
export type PatternNode<S> =
  | { readonly kind: "characters"; readonly set: S }
  | { readonly kind: "assertion"; readonly assertion: Assertion }
  | { readonly kind: "sequence"; readonly items: readonly PatternNode<S>[] }
  | { readonly kind: "choice"; readonly options: readonly PatternNode<S>[] }
  | {
      readonly kind: "repetition";
      readonly item: PatternNode<S>;
      readonly least: number;
      /** Infinity stands for no bound. */
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

/** Why a text is not a pattern, in the words of the reference server. */
export class PatternError extends Error {
  constructor(why: string, where: string) {
    super(`error parsing regexp: ${why}: \`${where.length > SHOWN_MAX ? cut(where) : where}\``);
    this.name = "PatternError";
  }
}

/** Longest part of a pattern that a message repeats. */
const SHOWN_MAX = 80;
const cut = (text: string): string => `${text.slice(0, SHOWN_MAX)}…`;
