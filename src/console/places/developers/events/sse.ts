/** An event of a stream of server-sent events. */
export interface ServerSentEvent {
  readonly name: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** Most characters of an event that is not complete. A stream with a longer one is not that of Florin. */
const BLOCK_MAX = 8_000_000;

/** Reads server-sent events of an answer until it ends. Comments are left out; they only show that the connection lives. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onAlive: () => void,
): AsyncGenerator<ServerSentEvent> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onAlive();
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop() ?? "";
      if (rest.length > BLOCK_MAX) throw new Error("an event of the stream is too long");
      for (const block of blocks) {
        const event = parseBlock(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** The event of a block of lines; undefined for a block with neither data nor an id. */
export function parseBlock(block: string): ServerSentEvent | undefined {
  let name = "message";
  let id: string | undefined;
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const field = line.slice(0, colon);
    const value = line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") name = value;
    if (field === "id") id = value;
    if (field === "data") data.push(value);
  }
  return data.length === 0 && id === undefined ? undefined : { name, id, data: data.join("\n") };
}
