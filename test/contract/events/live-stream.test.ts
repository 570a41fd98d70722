import { expect, test } from "vitest";
import { EventRing } from "#modules/events/core/event-ring.ts";
import { LiveStream, type LiveStreamOptions } from "#modules/events/live-stream.ts";
import { BlockReader, shortOf } from "#test/support/events/streams.ts";

/** A ring of ten events, and a stream of it. */
function bench(options: Partial<LiveStreamOptions> = {}) {
  const ring = new EventRing(0, { entries: 10, length: 1_000_000 });
  const stream = new LiveStream(() => ring, {
    filter: { types: ["ledger.*"], ledgers: undefined },
    lastEventId: undefined,
    follows: true,
    ...options,
  });
  const running = stream.run();
  const record = (...ids: string[]): void => {
    ring.add(ids.map((id) => ({ id, name: id, ledger: undefined, body: "{}" })));
    ring.show(ring.last);
    stream.wake();
  };
  return { ring, stream, running, record };
}

/** Lets pending work of the stream run. */
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

const names = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}.${index}`);

test("a heartbeat moves the client past events that it does not want", async () => {
  const { stream, record } = bench();
  const reader = new BlockReader(stream.readable);
  expect(await reader.next()).toEqual({ id: "0", event: "message", data: undefined });
  record("payments.a", "payments.b");
  stream.beat();
  expect(await reader.next()).toEqual({ id: "2", event: "message", data: undefined });
  record("ledger.a");
  expect(await reader.next()).toMatchObject({ id: "3", data: '{"id":"ledger.a","event":{}}' });
  await reader.cancel();
});

test("a reader that is overtaken hears of a gap, and goes on with the oldest that is there", async () => {
  const { stream, record } = bench();
  const reader = new BlockReader(stream.readable);
  await reader.next();
  // The first event is written before the reader asks for it; the others wait in the ring.
  record("ledger.first");
  await turn();
  record(...names("ledger", 25));
  expect(shortOf(await reader.nextData())).toBe("ledger.first");
  expect(shortOf(await reader.nextData())).toBe("gap");
  for (const id of names("ledger", 25).slice(15)) expect(shortOf(await reader.nextData())).toBe(id);
  await reader.cancel();
});

test("a reader that does not read is left after some heartbeats", async () => {
  const { stream, running } = bench();
  for (let beats = 0; beats < 3; beats++) stream.beat();
  expect(await Promise.race([running.then(() => "ended"), Promise.resolve("runs")])).toBe("runs");
  stream.beat();
  await running;
  await expect(stream.readable.getReader().read()).rejects.toThrow("has left");
});

test("a reader that reads now and then is not left", async () => {
  const { stream, record } = bench();
  const reader = new BlockReader(stream.readable);
  for (const id of names("ledger", 5)) {
    for (let beats = 0; beats < 3; beats++) stream.beat();
    await reader.next();
    await turn();
    record(id);
  }
  const read: string[] = [];
  while (read.at(-1) !== "ledger.4") read.push(shortOf(await reader.nextData()));
  expect(read).toEqual(names("ledger", 5).slice(-read.length));
  await reader.cancel();
});

test("a stream ends when its reader leaves, at the next heartbeat or when it says so", async () => {
  for (const leave of [
    (stream: LiveStream) => stream.beat(),
    (stream: LiveStream) => stream.leave(),
  ]) {
    const { stream, running } = bench();
    const reader = new BlockReader(stream.readable);
    await reader.next();
    await turn();
    await reader.cancel();
    leave(stream);
    await expect(running).resolves.toBeUndefined();
  }
});

test("a stream ends after an hour", async () => {
  const { stream, running } = bench();
  const reader = new BlockReader(stream.readable);
  await reader.next();
  for (let beats = 1; beats < 240; beats++) {
    stream.beat();
    await reader.next();
  }
  stream.beat();
  expect(await reader.next()).toBeUndefined();
  await running;
});

test("a stream that does not follow ends with what is there", async () => {
  const { stream, running } = bench({ follows: false, lastEventId: "5" });
  const reader = new BlockReader(stream.readable);
  expect(await reader.next()).toMatchObject({ id: "0" });
  expect(shortOf(await reader.nextData())).toBe("gap");
  expect(await reader.next()).toBeUndefined();
  await running;
});
