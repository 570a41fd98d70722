/** Most characters that are kept. */
const LENGTH_MAX = 2_000_000;

/** Bodies of events that were just received, so that their first attempt need not read them. The oldest go first. */
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

  /** Returns the body and forgets it. */
  take(seq: number): string | undefined {
    const body = this.#bodies.get(seq);
    if (body === undefined) return undefined;
    this.#bodies.delete(seq);
    this.#length -= body.length;
    return body;
  }
}
