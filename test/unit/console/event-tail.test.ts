import { describe, expect, test } from "vitest";
import { fieldsOf } from "#console/places/developers/events/schema-fields.ts";
import { parseBlock, readEvents } from "#console/places/developers/events/sse.ts";

describe("server-sent events", () => {
  test("events are read across pieces, and comments are left out", async () => {
    const pieces = [
      "retry: 1000\nid: 7\n\n: heart",
      'beat\n\nid: 8\ndata: {"a":',
      "1}\n\nevent: gap\ndata: x\n",
    ];
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        controller.close();
      },
    });
    const events = [];
    for await (const event of readEvents(body, () => undefined)) events.push(event);
    expect(events).toEqual([
      { name: "message", id: "7", data: "" },
      { name: "message", id: "8", data: '{"a":1}' },
    ]);
  });

  test("several lines of data are one text", () => {
    expect(parseBlock("event: gap\ndata: a\ndata: b")).toEqual({
      name: "gap",
      id: undefined,
      data: "a\nb",
    });
    expect(parseBlock(": only a comment")).toBeUndefined();
  });
});

describe("the fields of a schema", () => {
  test("references, lists and values are told in short", () => {
    const fields = fieldsOf({
      type: "object",
      required: ["kind"],
      properties: {
        kind: { type: "string", enum: ["A", "B"] },
        items: { type: "array", items: { $ref: "#/$defs/Item" } },
      },
      $defs: {
        Item: {
          type: "object",
          properties: { at: { type: "string", format: "date-time", description: "When." } },
        },
      },
    });
    expect(fields).toEqual([
      { path: "kind", depth: 0, type: '"A" | "B"', isRequired: true, description: undefined },
      { path: "items", depth: 0, type: "object[]", isRequired: false, description: undefined },
      { path: "items.at", depth: 1, type: "date-time", isRequired: false, description: "When." },
    ]);
  });
});
