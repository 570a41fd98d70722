import { PATTERN_STATES_MAX, VISITS_PER_STEP } from "#expr/limits.ts";
import type { StepMeter } from "#expr/values/step-meter.ts";
import { Automaton } from "#platform/patterns/automaton.ts";
import {
  type CharacterSets,
  type Comparing,
  propertyMatcher,
} from "#platform/patterns/character-sets.ts";
import { parsePattern } from "#platform/patterns/pattern-syntax.ts";

/** A set of arbitrary characters, represented by its membership test. */
type CharacterTest = (code: number) => boolean;

const UNICODE_CHARACTERS: CharacterSets<CharacterTest> = {
  none: () => false,
  unionOf: (a, b) => (code) => a(code) || b(code),
  complementOf: (set) => (code) => !set(code),
  rangeSet: (from, to, comparing) => withFolding((code) => code >= from && code <= to, comparing),
  unicodeClass: (name, comparing) => {
    const single = propertyMatcher(name);
    if (single === undefined) return undefined;
    return withFolding((code) => single.test(String.fromCodePoint(code)), comparing);
  },
};

/** Adds case folding to a test: a letter is in the set if one of its case forms is. */
function withFolding(has: CharacterTest, { fold }: Comparing): CharacterTest {
  if (!fold) return has;
  return (code) => has(code) || formsOf(code).some(has);
}

function formsOf(code: number): number[] {
  const letter = String.fromCodePoint(code);
  const forms = [letter.toLowerCase(), letter.toUpperCase(), letter.toUpperCase().toLowerCase()];
  // The upper case of some letters has several letters and is no case form.
  const single = forms.filter((form) => form.length === letter.length);
  const codes = single.map((form) => form.codePointAt(0) ?? code);
  // The long s and the kelvin sign are case forms of s and k that case mapping does not give.
  if (codes.includes(0x73)) codes.push(0x017f);
  if (codes.includes(0x6b)) codes.push(0x212a);
  return codes;
}

/** A regular expression in the syntax of RE2. A search takes O(length of the text × `PATTERN_STATES_MAX`) time at most. */
export class TextPattern {
  readonly #automaton: Automaton<CharacterTest>;

  /** Throws `PatternError` for a malformed pattern, and for one that needs more than `PATTERN_STATES_MAX` states. */
  constructor(source: string) {
    this.#automaton = new Automaton(parsePattern(source, UNICODE_CHARACTERS), {
      source,
      statesMax: PATTERN_STATES_MAX,
      repetitionsMax: Number.MAX_SAFE_INTEGER,
      has: (set, code) => set(code),
    });
  }

  /** Whether any part of a text matches. The search spends steps of the meter, which throws when none are left. */
  matches(text: string, meter: StepMeter): boolean {
    const work = { visits: 0 };
    const search = this.#automaton.search(work);
    for (let at = 0; ;) {
      search.begin({ text, at });
      if (search.isDone) return true;
      const code = text.codePointAt(at);
      if (code === undefined) return false;
      at += code > 0xffff ? 2 : 1;
      search.step(code, { text, at });
      if (search.isDone) return true;
      if (work.visits < VISITS_PER_STEP) continue;
      meter.spend(Math.floor(work.visits / VISITS_PER_STEP));
      work.visits %= VISITS_PER_STEP;
    }
  }
}
