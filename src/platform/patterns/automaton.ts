import { type Assertion, PatternError, type PatternNode } from "./pattern-tree.ts";

/** Counts the work of matching, in visited states. */
export interface WorkMeter {
  visits: number;
}

export interface AutomatonOptions<S> {
  /** The text of the pattern, for messages. */
  readonly source: string;
  readonly statesMax: number;
  /**
   * Highest count of repetitions that has an effect: texts have no room for more repetitions that take a character, and repetitions that
   * take no character can be left out or repeated freely.
   */
  readonly repetitionsMax: number;
  readonly has: (set: S, character: number) => boolean;
}

/**
 * A regular expression in the syntax of RE2 as a nondeterministic automaton, by Thompson's construction, and its simulation, which follows
 * all states at the same time (K. Thompson, "Regular Expression Search Algorithm", CACM 11(6), 1968). A match takes O(text × states) time
 * for every pattern. The platform's `RegExp` backtracks, and a malicious pattern can make it run for hours.
 *
 *     a(b|c)*   start ─► a ─► split ─► match
 *                               ▲ └─► split ─► b ─┐
 *                               │       └────► c ─┤
 *                               └─────────────────┘
 */
export class Automaton<S> {
  readonly #states: readonly State<S>[];
  readonly #start: number;
  readonly #has: (set: S, character: number) => boolean;

  /** Throws `PatternError` for a pattern with too many states. */
  constructor(tree: PatternNode<S>, options: AutomatonOptions<S>) {
    const builder = new StateBuilder(options);
    this.#start = builder.build(tree);
    this.#states = builder.states;
    this.#has = options.has;
  }

  /** The number of states, which determines the memory that the pattern takes. */
  get size(): number {
    return this.#states.length;
  }

  /** Begins a search in a text. */
  search(meter: WorkMeter): PatternSearch<S> {
    return new PatternSearch(this.#states, { start: this.#start, has: this.#has, meter });
  }
}

type State<S> =
  | { readonly kind: "characters"; readonly set: S; readonly next: number }
  | { readonly kind: "assertion"; readonly assertion: Assertion; readonly next: number }
  | { readonly kind: "split"; next: number; readonly other: number }
  | { readonly kind: "match" };

/** Builds the states of a tree from the end to the start: each part gets the state that follows it. */
class StateBuilder<S> {
  readonly states: State<S>[] = [{ kind: "match" }];
  readonly #options: AutomatonOptions<S>;

  constructor(options: AutomatonOptions<S>) {
    this.#options = options;
  }

  build(node: PatternNode<S>): number {
    return this.#build(node, 0);
  }

  #build(node: PatternNode<S>, next: number): number {
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

  #buildRepetition(node: PatternNode<S> & { kind: "repetition" }, next: number): number {
    const { repetitionsMax } = this.#options;
    const least = Math.min(node.least, repetitionsMax + 1);
    const isOpen = node.most > repetitionsMax;
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

  #add(state: State<S>): number {
    if (this.states.length >= this.#options.statesMax) {
      throw new PatternError("expression too large", this.#options.source);
    }
    this.states.push(state);
    return this.states.length - 1;
  }
}

/** A position between two characters of a text, or at one of its ends. */
export interface TextPosition {
  readonly text: string;
  readonly at: number;
}

interface SearchOptions<S> {
  readonly start: number;
  readonly has: (set: S, character: number) => boolean;
  readonly meter: WorkMeter;
}

/**
 * A search: the set of states that the characters so far have led to. The caller decides by `begin` at which positions a match may start.
 */
export class PatternSearch<S> {
  /** Whether the search has reached the end of the pattern. */
  isDone = false;
  readonly #states: readonly State<S>[];
  readonly #options: SearchOptions<S>;
  #waiting: Extract<State<S>, { kind: "characters" }>[] = [];
  /** For each state, the position at which it was last entered, plus one. */
  readonly #entered: Int32Array;
  readonly #pending: number[] = [];

  constructor(states: readonly State<S>[], options: SearchOptions<S>) {
    this.#states = states;
    this.#options = options;
    this.#entered = new Int32Array(states.length);
  }

  /** Lets the pattern begin at a position. */
  begin(position: TextPosition): void {
    this.#enter(this.#options.start, position);
  }

  /** Steps from all states with a character. `position` is the position behind the character. */
  step(character: number, position: TextPosition): void {
    const waiting = this.#waiting;
    const { has } = this.#options;
    this.#waiting = [];
    for (const { set, next } of waiting) {
      if (has(set, character)) this.#enter(next, position);
    }
  }

  /** Enters a state, and all states that follow it without a character (the epsilon closure). */
  #enter(start: number, position: TextPosition): void {
    const { meter } = this.#options;
    this.#pending.push(start);
    for (let index = this.#pending.pop(); index !== undefined; index = this.#pending.pop()) {
      if (this.#entered[index] === position.at + 1) continue;
      this.#entered[index] = position.at + 1;
      meter.visits++;
      const state = this.#states[index];
      if (state !== undefined) this.#visit(state, position);
    }
  }

  #visit(state: State<S>, position: TextPosition): void {
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
}

function holds(assertion: Assertion, { text, at }: TextPosition): boolean {
  switch (assertion) {
    case "start":
      return at === 0;
    case "end":
      return at === text.length;
    case "lineStart":
      return at === 0 || text[at - 1] === "\n";
    case "lineEnd":
      return at === text.length || text[at] === "\n";
    case "wordBoundary":
      return isWord(text, at - 1) !== isWord(text, at);
    case "noWordBoundary":
      return isWord(text, at - 1) === isWord(text, at);
  }
}

/** Words consist of the letters and digits of ASCII and the underscore. */
function isWord(text: string, at: number): boolean {
  const unit = text.charCodeAt(at); // `charCodeAt` gives NaN outside of the text.
  return (
    (unit >= 0x61 && unit <= 0x7a) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    (unit >= 0x30 && unit <= 0x39) ||
    unit === 0x5f
  );
}
