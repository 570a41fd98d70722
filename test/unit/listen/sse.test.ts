import * as fc from "fast-check";
import { expect, test } from "vitest";
import { SseReader } from "#scripts/listen/sse.ts";

const STREAM = [
  "retry: 1000",
  "id: 1",
  "",
  "id: 2",
  'data: {"a": "b: c"}',
  "",
  ": heartbeat",
  "id: 3",
  "",
  "event: gap",
  "data:x",
  "data: y",
  "",
  "data: cut off",
  "id: 9",
].join("\n");

const BLOCKS = [
  { id: "1", event: "message", data: undefined },
  { id: "2", event: "message", data: '{"a": "b: c"}' },
  { id: "3", event: "message", data: undefined },
  { id: "3", event: "gap", data: "x\ny" },
];

test("the parser of server-sent events reads blocks, and not the one that is cut off", () => {
  expect([...new SseReader().push(STREAM)]).toEqual(BLOCKS);
  expect([...new SseReader().push(STREAM.replaceAll("\n", "\r\n"))]).toEqual(BLOCKS);
});

test("the parser of server-sent events reads the same whatever the pieces are", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(STREAM.length)), (cuts) => {
      const reader = new SseReader();
      const places = [0, ...cuts.toSorted((a, b) => a - b), STREAM.length];
      const pieces = places.slice(1).map((to, index) => STREAM.slice(places[index], to));
      expect(pieces.flatMap((piece) => [...reader.push(piece)])).toEqual(BLOCKS);
    }),
  );
});
