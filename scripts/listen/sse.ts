/** A server-sent event, or what a block of an event stream says without one. */
export interface SseBlock {
  /** The last id that the stream has named so far. */
  readonly id: string | undefined;
  readonly event: string;
  /** Undefined where the block has none: it only names an id. */
  readonly data: string | undefined;
}

/** Reads an event stream as the HTML standard says, a piece at a time. A block that is cut off is never given. */
export class SseReader {
  #rest = "";
  #id: string | undefined;
  #event = "";
  #data: string[] = [];

  /** The blocks that end in this piece. */
  *push(piece: string): Generator<SseBlock> {
    const lines = (this.#rest + piece).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const text = line.endsWith("\r") ? line.slice(0, -1) : line;
      if (text !== "") this.#read(text);
      else yield this.#take();
    }
  }

  #read(line: string): void {
    const [field, value = ""] = line.split(/: ?(.*)/s);
    if (field === "id") this.#id = value;
    else if (field === "event") this.#event = value;
    else if (field === "data") this.#data.push(value);
  }

  #take(): SseBlock {
    const data = this.#data.length === 0 ? undefined : this.#data.join("\n");
    const block = { id: this.#id, event: this.#event || "message", data };
    this.#event = "";
    this.#data = [];
    return block;
  }
}
