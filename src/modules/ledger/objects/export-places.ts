import { AppError } from "#platform/errors.ts";

/** Most exports of one ledger that are under way at a time. */
export const EXPORTS_MAX = 10;
/** An export whose client has taken nothing for so long has no place any more, as the client may be gone. */
const PAUSE_MS_MAX = 30_000;

/** Bounds the exports of a ledger that are under way. One that has begun is never refused its next page. */
export class ExportPlaces {
  readonly #nowMs: () => number;
  /** When each export last took a page. */
  readonly #takenMs = new Map<string, number>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Gives a place to a new export. Throws `RATE_LIMITED` where all are taken. */
  take(exportId: string): void {
    this.#dropIdle();
    if (this.#takenMs.size >= EXPORTS_MAX) {
      throw new AppError(
        "RATE_LIMITED",
        `${EXPORTS_MAX} exports of the ledger are under way, which is the most; try again when one of them has ended`,
        { retryAfterSeconds: 1 },
      );
    }
    this.keep(exportId);
  }

  /** An export goes on. One that has lost its place, after a long pause or a restart of the object, has one again. */
  keep(exportId: string): void {
    this.#takenMs.set(exportId, this.#nowMs());
  }

  /** An export has ended. It does nothing if that is known. */
  release(exportId: string): void {
    this.#takenMs.delete(exportId);
  }

  /** Whether any export is under way. */
  hasAny(): boolean {
    this.#dropIdle();
    return this.#takenMs.size > 0;
  }

  #dropIdle(): void {
    const nowMs = this.#nowMs();
    for (const [exportId, takenMs] of this.#takenMs) {
      // Also where the clock has stepped back.
      if (Math.abs(nowMs - takenMs) >= PAUSE_MS_MAX) this.#takenMs.delete(exportId);
    }
  }
}
