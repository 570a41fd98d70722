import { AppError } from "#platform/errors.ts";

/** Longest pause between two batches of an import, in milliseconds. Then its lock ends, because its client may be gone. */
const PAUSE_MS_MAX = 5000;

/**
 * Keeps other writes out of a ledger while a log is imported into it: an entry between those of the log would end the import. One import at
 * a time holds the lock, and only this import releases it.
 */
export class ImportLock {
  readonly #nowMs: () => number;
  #holder: { readonly importId: string; readonly untilMs: number } | undefined;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Throws `OVERLOADED` where a log is being imported. */
  assertNoImport(): void {
    if (this.#holderId() === undefined) return;
    throw new AppError("OVERLOADED", "a log is being imported into the ledger");
  }

  /** Throws `OVERLOADED` where another import holds the lock. */
  assertFreeFor(importId: string): void {
    if ((this.#holderId() ?? importId) === importId) return;
    throw new AppError("OVERLOADED", "another import into this ledger is under way");
  }

  /** Takes the lock for an import, or extends it for its next batch. */
  hold(importId: string): void {
    this.#holder = { importId, untilMs: this.#nowMs() + PAUSE_MS_MAX };
  }

  /** Releases the lock of an import. Does nothing if another import holds the lock. */
  release(importId: string): void {
    if (this.#holder?.importId === importId) this.#holder = undefined;
  }

  /** Releases the lock of any import, because the ledger is purged. */
  clear(): void {
    this.#holder = undefined;
  }

  #holderId(): string | undefined {
    if (this.#holder === undefined) return undefined;
    const leftMs = this.#holder.untilMs - this.#nowMs();
    // More time is left than a lock ever has where the machine's clock was set back.
    return leftMs > 0 && leftMs <= PAUSE_MS_MAX ? this.#holder.importId : undefined;
  }
}
