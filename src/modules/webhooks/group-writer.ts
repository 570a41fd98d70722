export interface GroupWriterOptions<T> {
  readonly write: (group: readonly T[]) => Promise<void>;
  /** Gets a group that could not be written. It is not tried again. */
  readonly onFailure: (error: unknown, group: readonly T[]) => void;
  /** How long the first item of a group waits for others, in milliseconds. */
  readonly lingerMs: number;
}

/** Writes items in groups: a write costs much the same for one item and for fifty. */
export class GroupWriter<T> {
  readonly #options: GroupWriterOptions<T>;
  #gathered: T[] = [];
  #writing: Promise<void> | undefined;
  readonly #ending = Promise.withResolvers<void>();

  constructor(options: GroupWriterOptions<T>) {
    this.#options = options;
  }

  add(item: T): void {
    this.#gathered.push(item);
    this.#writing ??= this.#drain();
  }

  /** Writes what is left without waiting for more. Nothing may be added afterwards. */
  async end(): Promise<void> {
    this.#ending.resolve();
    await this.#writing;
  }

  async #drain(): Promise<void> {
    const { write, onFailure } = this.#options;
    while (this.#gathered.length > 0) {
      await this.#linger();
      const group = this.#gathered;
      this.#gathered = [];
      try {
        await write(group);
      } catch (error) {
        onFailure(error, group);
      }
    }
    this.#writing = undefined;
  }

  async #linger(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#options.lingerMs);
    await Promise.race([promise, this.#ending.promise]);
    clearTimeout(timer);
  }
}
