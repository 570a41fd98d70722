import { describe, expect, test } from "vitest";
import { fieldsOf } from "#console/places/developers/events/schema-fields.ts";
import {
  keepNewest,
  ROWS_MAX,
  rowOf,
  type TailRow,
} from "#console/places/developers/events/tail.ts";
import { stringifyJson } from "#platform/json.ts";

describe("the tail of events", () => {
  const event = {
    date: "2026-11-27T08:00:00Z",
    type: "ledger.saved_metadata",
    payload: { ledger: "main" },
  };
  const data = `{"id":"1","event":${stringifyJson(event)}}`;

  test("an event becomes a row, a gap says why, and a position alone is none", () => {
    expect(rowOf({ event: "message", id: "8", data })).toMatchObject({
      at: event.date,
      type: event.type,
      ledger: "main",
      gap: undefined,
      size: data.length,
    });
    expect(rowOf({ event: "gap", id: "9", data: '{"reason":"restart"}' })?.gap).toBe("restart");
    expect(rowOf({ event: "message", id: "7", data: undefined })).toBeUndefined();
  });

  test("the newest rows stay, as many as fit by number and by size", () => {
    const rowAt = (key: number, size: number): TailRow => ({
      key: String(key),
      at: event.date,
      type: event.type,
      ledger: undefined,
      body: undefined,
      gap: undefined,
      size,
    });
    const many = Array.from({ length: ROWS_MAX + 5 }, (_, key) => rowAt(key, 1));
    const kept = keepNewest([rowAt(-1, 1)], many);
    expect(kept.length).toBe(ROWS_MAX);
    expect(kept[0]?.key).toBe(String(ROWS_MAX + 4));
    expect(keepNewest([rowAt(1, 3_000_000)], [rowAt(2, 3_000_000)]).map(({ key }) => key)).toEqual([
      "2",
    ]);
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
