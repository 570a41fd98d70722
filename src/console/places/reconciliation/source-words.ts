import { wordsOf } from "#console/parts/language/words.ts";

/** The words of sources, statements, lines and clearing accounts. */
export const sourceWords = wordsOf({
  en: () => import("./source-words.en.ts"),
  de: () => import("./source-words.de.ts"),
});
