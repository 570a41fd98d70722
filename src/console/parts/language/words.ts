import { inSentence } from "./visible.ts";

/** The languages of the console. English is written first, and every other language has the type of the English words. */
export type Language = "en" | "de";

const LANGUAGES: readonly Language[] = ["en", "de"];
const LANGUAGE_KEY = "florin-language";

/** The language of this page. A change reloads the page. */
export const language: Language = chosenLanguage();

/** The locale of numbers and dates: the viewer's own one if it is of the page's language. */
export const locale: string =
  navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;

export function chooseLanguage(next: Language): void {
  localStorage.setItem(LANGUAGE_KEY, next);
  location.reload();
}

function chosenLanguage(): Language {
  const wanted = [localStorage.getItem(LANGUAGE_KEY) ?? "", ...navigator.languages];
  for (const tag of wanted) {
    const found = LANGUAGES.find((known) => known === tag.split("-")[0]);
    if (found !== undefined) return found;
  }
  return "en";
}

/** The words of a place, in the language of the page. */
export interface Words<W> {
  /** Loads the words. A route does this before it shows its page. */
  readonly load: () => Promise<void>;
  /** The words. Throws before they are loaded. */
  (): W;
}

type Loader<W> = () => Promise<{ readonly words: W }>;

export function wordsOf<W>(loaders: Readonly<Record<Language, Loader<W>>>): Words<W> {
  let loaded: W | undefined;
  const read = (): W => {
    if (loaded === undefined) throw new Error("the words of this place are not loaded");
    return loaded;
  };
  const load = async (): Promise<void> => {
    loaded ??= withIsolates((await loaders[language]()).words);
  };
  return Object.assign(read, { load });
}

/** The words, in whose sentences texts of others keep their direction to themselves. */
function withIsolates<W>(words: W): W {
  if (typeof words === "function") {
    const sentence = words as unknown as (...texts: unknown[]) => unknown;
    const wrapped = (...texts: unknown[]): unknown => sentence(...texts.map(isolated));
    return wrapped as unknown as W; // The wrapper has the parameters and the result of the sentence.
  }
  if (typeof words !== "object" || words === null || Array.isArray(words)) return words;
  const entries = Object.entries(words).map(([name, word]) => [name, withIsolates(word)] as const);
  return Object.fromEntries(entries) as W; // The members are the same ones.
}

/** A text, or the texts of a list, for the middle of a sentence; any other value as it is. */
function isolated(value: unknown): unknown {
  if (typeof value === "string") return inSentence(value);
  return Array.isArray(value) ? value.map(isolated) : value;
}
