import { wordsOf } from "#console/parts/language/words.ts";

export const ledgerWords = wordsOf({
  en: () => import("./words.en.ts"),
  de: () => import("./words.de.ts"),
});
