/** Bytes that are collected over chunks. The memory is reused, and its size depends on the bytes and not on the number of chunks. */
export class ByteBuffer {
  #bytes = new Uint8Array(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(part: Uint8Array): void {
    const length = this.#length + part.length;
    if (length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.#bytes.length, BYTES_MIN));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#bytes.set(part, this.#length);
    this.#length = length;
  }

  /** Returns the collected bytes followed by `last`, and empties the buffer. The result is valid until the next call of `append`. */
  take(last: Uint8Array): Uint8Array {
    if (this.#length === 0) return last;
    this.append(last);
    const taken = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }
}

const BYTES_MIN = 1024;
