import type { ReadCall } from "./calls.ts";
import { stringifyJson } from "#platform/json.ts";

/** Most that is kept, in characters: about as much memory as the rows that writes keep. */
const CHARACTERS_MAX = 4_000_000;

/** The log that answers are made of: whatever changes a ledger is an entry of it. */
interface Log {
  readonly headLogId: number;
}

/**
 * The answers that a ledger has given since its last write, by what was asked for: clients ask for the same pages and rows again
 * and again. An answer depends on nothing but the log, so that it holds until the log has a further entry, and no longer.
 */
export class KeptAnswers {
  readonly #texts = new Map<string, string>();
  /** Goes through the keys, once the first of them has to go. A new iterator would walk over the places of all that are gone. */
  #oldest: Iterator<string, undefined> | undefined;
  readonly #charactersMax: number;
  #characters = 0;
  #log: Log | undefined;
  #headLogId = 0;

  constructor(charactersMax = CHARACTERS_MAX) {
    this.#charactersMax = charactersMax;
  }

  /** What was answered since the last entry of this very log. */
  find(log: Log, key: string): string | undefined {
    if (this.#log === log && this.#headLogId === log.headLogId) return this.#texts.get(key);
    this.#log = log;
    this.#headLogId = log.headLogId;
    this.#characters = 0;
    this.#oldest = undefined;
    this.#texts.clear();
    return undefined;
  }

  /** Keeps what `find` has not found a moment ago, in the same turn. The answers that were kept first make room. */
  keep(key: string, text: string): void {
    this.#texts.set(key, text);
    this.#characters += key.length + text.length;
    if (this.#characters <= this.#charactersMax) return;
    this.#oldest ??= this.#texts.keys();
    while (this.#characters > this.#charactersMax) {
      const { done, value: oldest } = this.#oldest.next();
      if (done === true) return;
      this.#characters -= oldest.length + (this.#texts.get(oldest)?.length ?? 0);
      this.#texts.delete(oldest);
    }
  }
}

/** The text of a call, which is another one for each call that may have another answer. */
export const keyOf = (call: ReadCall): string => stringifyJson(call);
