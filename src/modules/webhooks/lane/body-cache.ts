/** Most characters of all bodies together. */
const LENGTH_MAX = 2_000_000;

/** Bodies of events that a lane has just received, so that their first attempt need not read them. A full cache drops the oldest bodies. */
export class BodyCache {
  readonly #bodies = new Map<number, string>();
  #length = 0;

  put(seq: number, body: string): void {
    this.#bodies.set(seq, body);
    this.#length += body.length;
    for (const oldest of this.#bodies.keys()) {
      if (this.#length <= LENGTH_MAX) return;
      this.take(oldest);
    }
  }

  /** Returns the body and removes it. */
  take(seq: number): string | undefined {
    const body = this.#bodies.get(seq);
    if (body === undefined) return undefined;
    this.#bodies.delete(seq);
    this.#length -= body.length;
    return body;
  }
}
