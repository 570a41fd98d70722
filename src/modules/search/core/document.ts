import { storedValue, wordsOf } from "./words.ts";

/** The fields that a term `field=value` may name, besides `metadata.<key>`. */
export const FIELDS = [
  "id",
  "reference",
  "address",
  "source",
  "destination",
  "asset",
  "amount",
  "status",
  "provider",
] as const;
export type TermField = (typeof FIELDS)[number];

/** The searchable content of an object. */
export interface SearchDocument {
  /** Values that are found as a whole, by the fields that terms name; `others` are found only by terms without a field. */
  readonly values: Readonly<Partial<Record<TermField | "others", readonly string[]>>>;
  /** Texts whose words are found by their beginnings. */
  readonly texts: readonly string[];
  /** Metadata, whose values are such texts, too. */
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Tokens of the index begin with a sign, so that a value and a word are never confused:
 *
 *     =eur/2           a value that is found as a whole
 *     <world >users:42 the source and the destination of money
 *     .invoice         a word of a text, found by its beginning
 *     @                every object has this one
 */
export const TOKENS = {
  value: (value: string): string => `=${storedValue(value)}`,
  source: (value: string): string => `<${storedValue(value)}`,
  destination: (value: string): string => `>${storedValue(value)}`,
  word: (word: string): string => `.${word}`,
  every: "@",
} as const;

/** Most tokens of one object. A transaction of very many postings is found by its first ones. */
const TOKENS_MAX = 2000;

/** The tokens by which the index finds a document, without repetitions. */
export function tokensOf({ values, texts, metadata }: SearchDocument): string[] {
  const { source = [], destination = [], address = [], ...plain } = values;
  const ends = new Set([...source, ...destination]);
  const tokens = new Set<string>([TOKENS.every]);
  for (const value of Object.values(plain).flat()) tokens.add(TOKENS.value(value));
  for (const value of source) tokens.add(TOKENS.source(value));
  for (const value of destination) tokens.add(TOKENS.destination(value));
  // A source or a destination is an address, too, without a token of its own.
  for (const value of address) if (!ends.has(value)) tokens.add(TOKENS.value(value));
  for (const text of [...texts, ...Object.values(metadata)]) {
    for (const word of wordsOf(text)) tokens.add(TOKENS.word(word));
  }
  return [...tokens].slice(0, TOKENS_MAX);
}
