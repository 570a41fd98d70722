import { wordsOf } from "#console/parts/language/words.ts";

export const reconciliationWords = wordsOf({
  en: () => import("./words.en.ts"),
  de: () => import("./words.de.ts"),
});
