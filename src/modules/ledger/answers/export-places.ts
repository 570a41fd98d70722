import { AppError } from "#platform/errors.ts";

/** Most exports of one ledger that are under way at a time. */
export const EXPORTS_MAX = 10;
/** An export loses its place when its client has taken nothing for so long, in milliseconds, because the client may be gone. */
const PAUSE_MS_MAX = 30_000;

/** Limits the exports of a ledger that are under way. An export that has begun is never refused its next page. */
export class ExportPlaces {
  readonly #nowMs: () => number;
  /** When each export last took a page, in milliseconds since the epoch. */
  readonly #takenMs = new Map<string, number>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Takes a place for a new export. Throws `RATE_LIMITED` where no place is left. */
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

  /** Notes that an export goes on. An export that has lost its place, after a long pause or a restart of the object, gets one again. */
  keep(exportId: string): void {
    this.#takenMs.set(exportId, this.#nowMs());
  }

  /** Frees the place of an export, if it has one. */
  release(exportId: string): void {
    this.#takenMs.delete(exportId);
  }

  hasAny(): boolean {
    this.#dropIdle();
    return this.#takenMs.size > 0;
  }

  #dropIdle(): void {
    const nowMs = this.#nowMs();
    for (const [exportId, takenMs] of this.#takenMs) {
      // The difference is negative where the clock has stepped back.
      if (Math.abs(nowMs - takenMs) >= PAUSE_MS_MAX) this.#takenMs.delete(exportId);
    }
  }
}
