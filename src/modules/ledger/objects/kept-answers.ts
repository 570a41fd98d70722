import { newId } from "#platform/ids.ts";

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
  /** Names the log: no other log, and none that was opened again, has the same name. */
  #name = "";
  #headLogId = 0;
  #version = "";

  constructor(charactersMax = CHARACTERS_MAX) {
    this.#charactersMax = charactersMax;
  }

  /**
   * The version of a log: the name of this opened log, and its last entry. While the version is the same, all answers are. Asking for
   * it forgets the answers of other versions.
   */
  versionOf(log: Log): string {
    if (this.#log === log && this.#headLogId === log.headLogId) return this.#version;
    if (this.#log !== log) this.#name = newId();
    this.#log = log;
    this.#headLogId = log.headLogId;
    this.#version = `${this.#name} ${log.headLogId}`;
    this.#characters = 0;
    this.#oldest = undefined;
    this.#texts.clear();
    return this.#version;
  }

  /** The answer that is kept for a key, of the version that `versionOf` has given last. */
  find(key: string): string | undefined {
    return this.#texts.get(key);
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
