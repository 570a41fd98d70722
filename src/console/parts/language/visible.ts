/** Characters that change the direction of a line, and control characters, one by one; an isolate of `inSentence` as a whole. */
const HIDDEN = /\u2068[^\p{Cc}\p{Bidi_Control}]*\u2069|\p{Cc}|\p{Bidi_Control}/gu;

/** A text in which hidden characters are shown by their code points. Isolates stay, because they change nothing outside of them. */
export const visible = (text: string): string =>
  text.replaceAll(HIDDEN, (character) =>
    character === "\n" || character === "\t" || character.length > 1
      ? character
      : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );

/** Letters that are written from right to left, and what changes the direction of a line. */
const TURNING =
  /\p{Cc}|\p{Bidi_Control}|[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]|[\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;
const [ISOLATE, END_OF_ISOLATE] = ["\u2068", "\u2069"];

/** A text for the middle of a sentence, whose order it does not change. */
export const inSentence = (text: string): string =>
  TURNING.test(text) ? `${ISOLATE}${visible(text)}${END_OF_ISOLATE}` : text;
