import { serialize } from "node:v8";
import type { KeptValues } from "#platform/backup/scheduled/staged-file.ts";

/** The bytes that a Durable Object takes for a value, also for one of its tables. */
export const VALUE_BYTES_MAX = 2_000_000;

/** Values as an object keeps them: what is read is a copy, and none has more than 2 MB. */
export class MemoryValues implements KeptValues {
  readonly #values = new Map<string, unknown>();

  get: KeptValues["get"] = (key) => structuredClone(this.#values.get(key)) as never; // the value that was put

  put(key: string, value: unknown): void {
    const bytes = serialize(value);
    if (bytes.length > VALUE_BYTES_MAX) throw new Error(`the value ${key} is too large`);
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
