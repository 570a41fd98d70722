import { wordsOf } from "#console/parts/language/words.ts";

/** The words of matchings, breaks, corrections and close reports. */
export const matchingWords = wordsOf({
  en: () => import("./matching-words.en.ts"),
  de: () => import("./matching-words.de.ts"),
});
