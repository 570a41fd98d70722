import type { CompiledScript } from "#numscript";

/**
 * The most source text of all kept scripts, in characters. A syntax tree takes 24 to 130 bytes for each character.
 */
const CHARACTERS_MAX = 100_000;

/** An LRU cache of compiled scripts by their source text, bounded by the total length of the texts. */
export class BoundedScriptCache {
  readonly #scripts = new Map<string, CompiledScript>();
  readonly #charactersMax: number;
  #characters = 0;

  constructor(charactersMax = CHARACTERS_MAX) {
    this.#charactersMax = charactersMax;
  }

  get(source: string): CompiledScript | undefined {
    const script = this.#scripts.get(source);
    if (script === undefined) return undefined;
    this.#scripts.delete(source);
    this.#scripts.set(source, script);
    return script;
  }

  set(source: string, script: CompiledScript): void {
    if (this.#scripts.has(source)) return;
    this.#scripts.set(source, script);
    this.#characters += source.length;
    for (const oldest of this.#scripts.keys()) {
      if (this.#characters <= this.#charactersMax) return;
      this.#scripts.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}
