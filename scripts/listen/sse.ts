/** A block of an event stream: a server-sent event, or a block without data. */
export interface SseBlock {
  /** The last id that the stream has named so far. */
  readonly id: string | undefined;
  readonly event: string;
  /** The data; undefined for a block without data, which only names an id. */
  readonly data: string | undefined;
}

/** Parses an event stream by the HTML standard, piece by piece. An incomplete block is never given. */
export class SseReader {
  #rest = "";
  #id: string | undefined;
  #event = "";
  #data: string[] = [];

  /** Takes a piece of the stream, and gives the blocks that end in it. */
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
