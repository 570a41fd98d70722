import { type CharacterSet, hasPlace, placeOf } from "./character-sets.ts";
import { PATTERN_STATES_MAX } from "./limits.ts";
import { type Assertion, PatternError, parsePattern, type PatternNode } from "./pattern-syntax.ts";
import { ADDRESS_LENGTH_MAX } from "#ledger-engine/rules/names.ts";

/** Counts the work of matching, in states that were looked at. */
export interface WorkMeter {
  visits: number;
}

/**
 * A regular expression in the syntax of RE2, for texts of the characters of addresses. All of its states are followed at
 * the same time, so that a text takes time in proportion to its length, whatever the pattern; the platform's `RegExp`
 * goes back and tries again, for hours if the pattern is made for it.
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

  /** How many states it has, which is what it takes to keep it. */
  get size(): number {
    return this.#states.length;
  }

  /** Whether a segment has a part that matches. */
  matches(text: string, meter: WorkMeter): boolean {
    const walk = new Walk(this.#states, meter);
    for (let at = 0; ; at++) {
      walk.enter(this.#start, { text, at });
      if (walk.isDone) return true;
      if (at === text.length) return false;
      walk.step(placeOf(text.charCodeAt(at)), { text, at: at + 1 });
      if (walk.isDone) return true;
    }
  }
}

type State =
  | { readonly kind: "characters"; readonly set: CharacterSet; readonly next: number }
  | { readonly kind: "assertion"; readonly assertion: Assertion; readonly next: number }
  | { readonly kind: "split"; next: number; readonly other: number }
  | { readonly kind: "match" };

/** Makes states of a tree, from the last one on: each part is given the state that follows it. */
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
   * No text has room for more than `ADDRESS_LENGTH_MAX` repetitions that each take a character. Empty ones can be left out
   * or repeated as often as one likes, so that higher counts come to the same as none.
   */
  #buildRepetition(node: PatternNode & { kind: "repetition" }, next: number): number {
    const least = Math.min(node.least, ADDRESS_LENGTH_MAX + 1);
    const isOpen = node.most > ADDRESS_LENGTH_MAX;
    let entry = next;
    let copies = least;
    if (isOpen) {
      const loop = { kind: "split" as const, next, other: next };
      const place = this.#add(loop);
      const body = this.#build(node.item, place);
      loop.next = body;
      entry = least === 0 ? place : body;
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

/** Between two characters of a text, or at one of its ends. */
interface Position {
  readonly text: string;
  readonly at: number;
}

/** The states that a text has led to so far. */
class Walk {
  /** Whether one of them is the end of the pattern. */
  isDone = false;
  readonly #states: readonly State[];
  readonly #meter: WorkMeter;
  #waiting: Extract<State, { kind: "characters" }>[] = [];
  /** At which position each state was entered last, plus one. */
  readonly #entered: Int32Array;
  readonly #pending: number[] = [];

  constructor(states: readonly State[], meter: WorkMeter) {
    this.#states = states;
    this.#meter = meter;
    this.#entered = new Int32Array(states.length);
  }

  /** Enters a state, and those that follow without a character. */
  enter(start: number, position: Position): void {
    this.#pending.push(start);
    for (let place = this.#pending.pop(); place !== undefined; place = this.#pending.pop()) {
      if (this.#entered[place] === position.at + 1) continue;
      this.#entered[place] = position.at + 1;
      this.#meter.visits++;
      const state = this.#states[place];
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

  /** Goes on from all states with the character of a place in the alphabet. */
  step(place: number, position: Position): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { set, next } of waiting) {
      if (hasPlace(set, place)) this.enter(next, position);
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

/** Of the characters of addresses only the hyphen belongs to no word. */
const isWord = (text: string, at: number): boolean =>
  at >= 0 && at < text.length && text[at] !== "-";
