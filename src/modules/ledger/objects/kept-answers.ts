import { newId } from "#platform/ids.ts";

/** Most characters of kept answers, which take about as much memory as the rows that writes keep. */
const CHARACTERS_MAX = 4_000_000;

/** The log on which answers depend. Every change of a ledger is an entry of its log. */
interface Log {
  readonly headLogId: number;
}

/**
 * The answers that a ledger has given since its last write, by the texts of their reads, because clients ask for the same pages and rows
 * again and again. An answer depends only on the log, and holds until the log has another entry.
 */
export class KeptAnswers {
  readonly #texts = new Map<string, string>();
  /**
   * Iterates over the keys, from the first time that one has to be deleted on. A new iterator would pass the places of all deleted keys.
   */
  #oldest: Iterator<string, undefined> | undefined;
  readonly #charactersMax: number;
  #characters = 0;
  #log: Log | undefined;
  /** Names the log. No other log has this name, nor has the same log once it is opened again. */
  #name = "";
  #headLogId = 0;
  #version = "";

  constructor(charactersMax = CHARACTERS_MAX) {
    this.#charactersMax = charactersMax;
  }

  /**
   * The version of a log: the name of the opened log, and its last entry. Answers of the same version are the same. Answers of other
   * versions are deleted.
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

  /** The kept answer for a key, of the version that `versionOf` has returned last. */
  find(key: string): string | undefined {
    return this.#texts.get(key);
  }

  /** Keeps an answer that `find` has not found, in the same turn. The answers that were kept first make room for it. */
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
