import { type TermField, FIELDS, type SearchDocument, TOKENS } from "./document.ts";
import { folded, wordsOf } from "./words.ts";

/** One thing that a search asks for. */
export type Term =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "field"; readonly field: TermField; readonly value: string }
  | { readonly kind: "metadata"; readonly key: string; readonly value: string };

/** Whether all terms must match, or one of them. */
export type TermPolicy = "AND" | "OR";

const METADATA = "metadata.";

/** Reads a term: `field=value` for a known field, and else free text, which may contain equals signs. */
export function parseTerm(text: string): Term {
  const at = text.indexOf("=");
  const [name, value] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (name.startsWith(METADATA) && name.length > METADATA.length) {
    return { kind: "metadata", key: name.slice(METADATA.length), value };
  }
  const field = FIELDS.find((known) => known === name);
  return field === undefined ? { kind: "text", text } : { kind: "field", field, value };
}

/** A token of the index, or the beginning of tokens. */
export interface Atom {
  readonly token: string;
  readonly isPrefix: boolean;
}

/** The tokens of which an object has at least one of the lists, completely. An empty list fits every object. */
export type Clause = readonly (readonly Atom[])[];

const whole = (token: string): Atom => ({ token, isPrefix: false });
const beginning = (word: string): Atom => ({ token: TOKENS.word(word), isPrefix: true });

/** The tokens of the objects that may match a term: all that do, and perhaps some that do not. */
export function clauseOf(term: Term): Clause {
  switch (term.kind) {
    case "text": {
      const words = wordsOf(term.text).map(beginning);
      return [...anywhere(term.text), ...(words.length === 0 ? [] : [words])];
    }
    case "metadata":
      // A value without any word, such as `!`, has no token.
      return [wordsOf(term.value).map((word) => whole(TOKENS.word(word)))];
    case "field":
      switch (term.field) {
        case "source":
          return [[whole(TOKENS.source(term.value))]];
        case "destination":
          return [[whole(TOKENS.destination(term.value))]];
        case "address":
          return anywhere(term.value);
        default:
          return [[whole(TOKENS.value(term.value))]];
      }
  }
}

const anywhere = (value: string): Clause => [
  [whole(TOKENS.value(value))],
  [whole(TOKENS.source(value))],
  [whole(TOKENS.destination(value))],
];

/** Whether tokens fit clauses under a policy; without clauses they do. */
export function fitsTokens(
  tokens: readonly string[],
  clauses: readonly Clause[],
  policy: TermPolicy,
): boolean {
  if (clauses.length === 0) return true;
  const known = new Set(tokens);
  const has = ({ token, isPrefix }: Atom): boolean =>
    isPrefix ? tokens.some((other) => other.startsWith(token)) : known.has(token);
  const fits = (clause: Clause): boolean => clause.some((atoms) => atoms.every(has));
  return policy === "AND" ? clauses.every(fits) : clauses.some(fits);
}

/** Whether a document matches terms under a policy; without terms it does. */
export function matches(
  document: SearchDocument,
  terms: readonly Term[],
  policy: TermPolicy,
): boolean {
  if (terms.length === 0) return true;
  const fits = (term: Term): boolean => matchesTerm(document, term);
  return policy === "AND" ? terms.every(fits) : terms.some(fits);
}

function matchesTerm({ values, texts, metadata }: SearchDocument, term: Term): boolean {
  switch (term.kind) {
    case "field":
      return values[term.field]?.includes(term.value) ?? false;
    case "metadata":
      return Object.hasOwn(metadata, term.key) && metadata[term.key] === term.value;
    case "text": {
      const text = folded(term.text);
      if (Object.values(values).some((list) => list.some((value) => folded(value) === text)))
        return true;
      const wanted = wordsOf(term.text);
      if (wanted.length === 0) return false;
      const words = [...texts, ...Object.values(metadata)].flatMap(wordsOf);
      return wanted.every((word) => words.some((other) => other.startsWith(word)));
    }
  }
}
