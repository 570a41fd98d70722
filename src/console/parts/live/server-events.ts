/** An event of a stream of server-sent events. Comments that move the position on are events without data. */
export interface ServerEvent {
  readonly event: string;
  /** The text of the event; undefined if there is none. */
  readonly data: string | undefined;
  /** The position after the event; undefined if it does not change. */
  readonly id: string | undefined;
}

/** Reads server-sent events (HTML Standard, 9.2), of which a server sends lines with `\n` only. `onChunk` is called whenever anything has come. */
export async function* readServerEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onChunk: () => void = () => undefined,
): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onChunk();
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop() ?? ""; // The block is not complete yet.
      for (const block of blocks) yield toEvent(block);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function toEvent(block: string): ServerEvent {
  let event = "message";
  let data: string | undefined;
  let id: string | undefined;
  for (const line of block.split("\n")) {
    const cut = line.indexOf(":");
    const name = cut === -1 ? line : line.slice(0, cut);
    const value = cut === -1 ? "" : line.slice(cut + 1).replace(/^ /, "");
    if (name === "event") event = value;
    else if (name === "id") id = value;
    else if (name === "data") data = data === undefined ? value : `${data}\n${value}`;
  }
  return { event, data, id };
}
