import { wordsOf } from "#console/parts/language/words.ts";

export const numscriptWords = wordsOf({
  en: () => import("./words.en.ts"),
  de: () => import("./words.de.ts"),
});
