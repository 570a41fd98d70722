import { AppError } from "#platform/errors.ts";

/** How long an import may pause between two batches; after that its lock ends, as its client may be gone. */
const PAUSE_MS_MAX = 5000;

/**
 * Keeps other writes out of a ledger while a log is imported into it: one entry between those of the log would be the end
 * of the import. One import at a time holds the lock, and only that one ends it.
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

  /** Releases the lock of an import. It does nothing if another import holds the lock. */
  release(importId: string): void {
    if (this.#holder?.importId === importId) this.#holder = undefined;
  }

  /** The ledger is gone, and with it whatever was imported into it. */
  clear(): void {
    this.#holder = undefined;
  }

  #holderId(): string | undefined {
    if (this.#holder === undefined) return undefined;
    const leftMs = this.#holder.untilMs - this.#nowMs();
    // More time than a lock ever has is left where the machine's clock was set back.
    return leftMs > 0 && leftMs <= PAUSE_MS_MAX ? this.#holder.importId : undefined;
  }
}
