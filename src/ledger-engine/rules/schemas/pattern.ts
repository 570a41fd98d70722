import {
  ADDRESS_CHARACTERS,
  alphabetIndexOf,
  type CharacterSet,
  hasIndex,
} from "./character-sets.ts";
import { PATTERN_STATES_MAX } from "./limits.ts";
import { ADDRESS_LENGTH_MAX } from "#ledger-engine/rules/names.ts";
import { Automaton, type WorkMeter } from "#platform/patterns/automaton.ts";
import { parsePattern } from "#platform/patterns/pattern-syntax.ts";

export type { WorkMeter } from "#platform/patterns/automaton.ts";

/** A regular expression in the syntax of RE2, for texts of the characters of addresses. */
export class Pattern {
  readonly source: string;
  readonly #automaton: Automaton<CharacterSet>;

  /** Throws `PatternError` for a malformed or too large expression. */
  constructor(source: string) {
    this.source = source;
    this.#automaton = new Automaton(parsePattern(source, ADDRESS_CHARACTERS), {
      source,
      statesMax: PATTERN_STATES_MAX,
      repetitionsMax: ADDRESS_LENGTH_MAX,
      has: hasIndex,
    });
  }

  /** The number of states, which determines the memory that the pattern takes. */
  get size(): number {
    return this.#automaton.size;
  }

  /** Whether any part of a segment matches the expression. */
  matches(text: string, meter: WorkMeter): boolean {
    const search = this.#automaton.search(meter);
    for (let at = 0; ; at++) {
      search.begin({ text, at });
      if (search.isDone) return true;
      if (at === text.length) return false;
      search.step(alphabetIndexOf(text.charCodeAt(at)), { text, at: at + 1 });
      if (search.isDone) return true;
    }
  }
}
