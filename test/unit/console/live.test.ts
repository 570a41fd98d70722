import { describe, expect, test } from "vitest";
import { NewIds } from "#console/parts/live/new-ids.ts";
import { readServerEvents, type ServerEvent } from "#console/parts/live/server-events.ts";

async function eventsOf(chunks: readonly Uint8Array[]): Promise<ServerEvent[]> {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new Uint8Array(chunk));
      controller.close();
    },
  });
  return Array.fromAsync(readServerEvents(body));
}

describe("server-sent events", () => {
  const TEXT =
    'retry: 1000\nid: 7.a\n\nevent: entry\nid: 8.a\ndata: {"name":"ä: b"}\n\n: note\nid: 9.a\n\n';

  test.each([1, 2, 7, 1000])(
    "events are whole however the bytes are cut, %i at a time",
    async (size) => {
      const bytes = new TextEncoder().encode(TEXT);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.slice(index * size, (index + 1) * size),
      );
      expect(await eventsOf(chunks)).toEqual([
        { event: "message", data: undefined, id: "7.a" },
        { event: "entry", data: '{"name":"ä: b"}', id: "8.a" },
        { event: "message", data: undefined, id: "9.a" },
      ]);
    },
  );

  test("a block that the connection has cut is no event", async () => {
    expect(await eventsOf([new TextEncoder().encode("event: entry\ndata: {")])).toEqual([]);
  });
});

describe("the ids of new rows", () => {
  test("only rows above the newest one of the list are new, and a row counts once", () => {
    const ids = new NewIds();
    for (const id of [4, 5, 6, 6, 2n ** 60n]) ids.add(id);
    expect(ids.above(4n)).toEqual({ count: 3, isMore: false });
    expect(ids.above(2n ** 60n)).toEqual({ count: 0, isMore: false });
  });

  test("so many ids are kept, and the rest is known to be more until the list has it", () => {
    const ids = new NewIds();
    for (let id = 0; id < 5000; id++) ids.add(id);
    expect(ids.above(-1n)).toEqual({ count: 999, isMore: true });
    expect(ids.above(4500n)).toEqual({ count: 499, isMore: false });
  });
});
