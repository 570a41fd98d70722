import { createHash } from "node:crypto";

/** Longest beginning of a word that counts, in UTF-16 code units. */
const WORD_LENGTH_MAX = 64;
/** Most words of one text that count: a document of any length costs a bounded part of the index. */
const WORDS_MAX = 64;
/** Longest value that is stored as it is, in UTF-16 code units. Of a longer one, its beginning and a hash are stored. */
const VALUE_LENGTH_MAX = 48;
const BEGINNING_LENGTH = 16;
const HASH_DIGITS = 16;

/** Between words: blanks, control characters, and punctuation that is in no identifier. */
const SEPARATORS = /[\s\p{Cc},;()[\]{}"'`!?<>|\\*^]+/u;
const EDGES = /^[-.:/_+=]+|[-.:/_+=]+$/gu;
/** What the tokenizer of the index would take as the end of a token. */
const UNSTORABLE = /[\s\p{Cc},;()[\]{}"'`!?<>|\\*^]/gu;

/** A text in the form in which texts are compared: compatible characters are equal, and case does not matter. */
export const folded = (text: string): string => text.normalize("NFKC").toLowerCase();

/**
 * The words of a text, folded. An identifier such as `INV-2026/17` or `a@b.example` is one word, because signs inside of a word do not end
 * it. Of a long text, the first words count.
 */
export const wordsOf = (text: string): string[] =>
  folded(text)
    .split(SEPARATORS, WORDS_MAX)
    .map((word) => word.replace(EDGES, "").slice(0, WORD_LENGTH_MAX).toWellFormed())
    .filter((word) => word !== "");

/** The form in which the index holds a value that is found as a whole. Different values may have the same form; hits are compared again. */
export function storedValue(value: string): string {
  const text = folded(value).toWellFormed();
  if (text.length <= VALUE_LENGTH_MAX) return text.replace(UNSTORABLE, "_");
  const hash = createHash("sha256").update(text).digest("hex").slice(0, HASH_DIGITS);
  const beginning = text.slice(0, BEGINNING_LENGTH).toWellFormed();
  return `${beginning.replace(UNSTORABLE, "_")}~${hash}`;
}
