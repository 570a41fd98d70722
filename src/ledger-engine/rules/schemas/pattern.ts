import { alphabetIndexOf, type CharacterSet, hasIndex } from "./character-sets.ts";
import { PATTERN_STATES_MAX } from "./limits.ts";
import { type Assertion, parsePattern, PatternError, type PatternNode } from "./pattern-syntax.ts";
import { ADDRESS_LENGTH_MAX } from "#ledger-engine/rules/names.ts";

/** Counts the work of matching, in states that were visited. */
export interface WorkMeter {
  visits: number;
}

/**
 * A regular expression in the syntax of RE2, for texts of the characters of addresses. It follows all states at the
 * same time, so that a match takes time in proportion to the length of the text, whatever the pattern. The platform's
 * `RegExp` backtracks, which a pattern can be made to do for hours.
 */
export class Pattern {
  readonly source: string;
  readonly #states: readonly State[];
  readonly #start: number;

  /** Throws `PatternError`. */
  constructor(source: string) {
    const builder = new StateBuilder(source);
    this.source = source;
    this.#start = builder.build(parsePattern(source));
    this.#states = builder.states;
  }

  /** The number of states, which determines the memory that the pattern takes. */
  get size(): number {
    return this.#states.length;
  }

  /** Whether any part of a segment matches. */
  matches(text: string, meter: WorkMeter): boolean {
    const walk = new Walk(this.#states, meter);
    for (let at = 0; ; at++) {
      walk.enter(this.#start, { text, at });
      if (walk.isDone) return true;
      if (at === text.length) return false;
      walk.step(alphabetIndexOf(text.charCodeAt(at)), { text, at: at + 1 });
      if (walk.isDone) return true;
    }
  }
}

type State =
  | { readonly kind: "characters"; readonly set: CharacterSet; readonly next: number }
  | { readonly kind: "assertion"; readonly assertion: Assertion; readonly next: number }
  | { readonly kind: "split"; next: number; readonly other: number }
  | { readonly kind: "match" };

/** Builds the states of a tree, starting from the last one: each part is given the state that follows it. */
class StateBuilder {
  readonly states: State[] = [{ kind: "match" }];
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  build(node: PatternNode): number {
    return this.#build(node, 0);
  }

  #build(node: PatternNode, next: number): number {
    switch (node.kind) {
      case "characters":
        return this.#add({ kind: "characters", set: node.set, next });
      case "assertion":
        return this.#add({ kind: "assertion", assertion: node.assertion, next });
      case "sequence":
        return node.items.reduceRight((after, item) => this.#build(item, after), next);
      case "choice":
        return node.options
          .map((option) => this.#build(option, next))
          .reduceRight((other, option) => this.#add({ kind: "split", next: option, other }));
      case "repetition":
        return this.#buildRepetition(node, next);
    }
  }

  /**
   * No text has room for more than `ADDRESS_LENGTH_MAX` repetitions that each take a character, so that higher counts
   * have no effect. Repetitions that take no character can be left out or repeated at will.
   */
  #buildRepetition(node: PatternNode & { kind: "repetition" }, next: number): number {
    const least = Math.min(node.least, ADDRESS_LENGTH_MAX + 1);
    const isOpen = node.most > ADDRESS_LENGTH_MAX;
    let entry = next;
    let copies = least;
    if (isOpen) {
      const loop = { kind: "split" as const, next, other: next };
      const index = this.#add(loop);
      const body = this.#build(node.item, index);
      loop.next = body;
      entry = least === 0 ? index : body;
      copies = Math.max(least - 1, 0);
    } else {
      for (let optional = node.most - least; optional > 0; optional--) {
        entry = this.#add({ kind: "split", next: this.#build(node.item, entry), other: next });
      }
    }
    for (; copies > 0; copies--) entry = this.#build(node.item, entry);
    return entry;
  }

  #add(state: State): number {
    if (this.states.length >= PATTERN_STATES_MAX) {
      throw new PatternError("expression too large", this.#source);
    }
    this.states.push(state);
    return this.states.length - 1;
  }
}

/** A position between two characters of a text, or at one of its ends. */
interface Position {
  readonly text: string;
  readonly at: number;
}

/** The states that a text has led to so far. */
class Walk {
  /** Whether one of the states is the end of the pattern. */
  isDone = false;
  readonly #states: readonly State[];
  readonly #meter: WorkMeter;
  #waiting: Extract<State, { kind: "characters" }>[] = [];
  /** For each state, the position at which it was last entered, plus one. */
  readonly #entered: Int32Array;
  readonly #pending: number[] = [];

  constructor(states: readonly State[], meter: WorkMeter) {
    this.#states = states;
    this.#meter = meter;
    this.#entered = new Int32Array(states.length);
  }

  /** Enters a state, and all states that follow it without a character. */
  enter(start: number, position: Position): void {
    this.#pending.push(start);
    for (let index = this.#pending.pop(); index !== undefined; index = this.#pending.pop()) {
      if (this.#entered[index] === position.at + 1) continue;
      this.#entered[index] = position.at + 1;
      this.#meter.visits++;
      const state = this.#states[index];
      if (state !== undefined) this.#visit(state, position);
    }
  }

  #visit(state: State, position: Position): void {
    switch (state.kind) {
      case "characters":
        this.#waiting.push(state);
        break;
      case "split":
        this.#pending.push(state.other, state.next);
        break;
      case "assertion":
        if (holds(state.assertion, position)) this.#pending.push(state.next);
        break;
      case "match":
        this.isDone = true;
        break;
    }
  }

  /** Steps from all states with the character that has this index in the alphabet. */
  step(index: number, position: Position): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { set, next } of waiting) {
      if (hasIndex(set, index)) this.enter(next, position);
    }
  }
}

function holds(assertion: Assertion, { text, at }: Position): boolean {
  switch (assertion) {
    case "start":
      return at === 0;
    case "end":
      return at === text.length;
    case "wordBoundary":
      return isWord(text, at - 1) !== isWord(text, at);
    case "noWordBoundary":
      return isWord(text, at - 1) === isWord(text, at);
  }
}

/** Of the characters of addresses, only the hyphen is not part of a word. */
const isWord = (text: string, at: number): boolean =>
  at >= 0 && at < text.length && text[at] !== "-";
