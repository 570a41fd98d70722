import type { KeptValues } from "#platform/backup/scheduled/staged-file.ts";

/** Values as an object keeps them: what is read is a copy. */
export class MemoryValues implements KeptValues {
  readonly #values = new Map<string, unknown>();

  get: KeptValues["get"] = (key) => structuredClone(this.#values.get(key)) as never; // the value that was put

  put(key: string, value: unknown): void {
    this.#values.set(key, structuredClone(value));
  }

  delete(key: string): boolean {
    return this.#values.delete(key);
  }

  /** The sizes of texts and bytes, in characters and bytes. */
  sizes(): number[] {
    return [...this.#values.values()].flatMap((value) =>
      typeof value === "string" || value instanceof Uint8Array ? [value.length] : [],
    );
  }
}
