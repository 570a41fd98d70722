import { wordsOf } from "./language/words.ts";

export const partWords = wordsOf({
  en: () => import("./words.en.ts"),
  de: () => import("./words.de.ts"),
});
