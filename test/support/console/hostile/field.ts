import type { HostileForm } from "./texts.ts";

/** A field of the API in which anybody may put a text. */
export interface HostileField {
  readonly name: string;
  readonly path: string | ((text: string) => string);
  readonly method?: "PUT";
  readonly body: (text: string) => unknown;
  /** The page of the object that has the text, by its id. */
  readonly page?: (id: string) => string;
  /** How the page shows a text; by default, as it is. */
  readonly shownAs?: (text: string) => string;
  /** The longest text that the field takes, in characters, where that is less than 10,000. */
  readonly limit?: number;
  /** What the field refuses, with a part of the sentence that says why. By default, only null bytes. */
  readonly refuses?: Partial<Record<HostileForm, string>>;
}

/** A text as the key and as the value of an entry. */
export const asMetadata = (text: string) => ({ [text]: text });
