import { describe, expect, test } from "vitest";
import { linkFunction } from "#modules/orchestration/triggers/link-function.ts";
import { matchEvents } from "#modules/orchestration/triggers/match.ts";
import { firingKey } from "#modules/orchestration/triggers/occurrences.ts";
import type { Trigger } from "#modules/orchestration/triggers/trigger.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import { fromMillis } from "#platform/time.ts";

const NOW = fromMillis(1_750_000_000_000);

const trigger = (fields: Partial<Trigger> = {}): Trigger => ({
  key: 1,
  id: "trigger",
  name: "",
  event: "SAVED_THING",
  workflowId: "workflow",
  vars: {},
  principal: {
    issuer: "test",
    subject: "someone",
    clientId: "",
    scopes: new Set(["orchestration:write", "payments:read"]),
    ledgers: [],
  },
  createdAt: NOW,
  ...fields,
});

const event = (payload: unknown, fields: Partial<PlatformEvent> = {}): PlatformEvent => ({
  id: `event:${JSON.stringify(payload)}`,
  app: "payments",
  version: "v2",
  type: "SAVED_THING",
  date: NOW,
  idempotencyKey: "",
  payload,
  ...fields,
});

describe("link(object, rel)", () => {
  const links = [
    { name: "one", uri: "/one" },
    { name: "two", uri: "/a" },
    { name: "two", uri: "/b" },
    { name: "none" },
    "text",
  ];
  const known = new Map([["/one", { name: "One" }]]);

  test.each([
    ["no arguments", [], "expect two arguments, got 0"],
    ["three arguments", [{ links }, "one", 1], "expect two arguments, got 3"],
    ["a name that is no text", [{ links }, 1n], "second parameter must be a string"],
    ["a link that is not there", [{ links }, "other"], "link 'other' not defined for object"],
    ["a link that is there twice", [{ links }, "two"], "multiple link 'two' found for object"],
    ["a link without a URI", [{ links }, "none"], "link 'none' has no uri"],
    ["an object without links", [{}, "one"], "link 'one' not defined for object"],
    ["nil", [null, "one"], "link 'one' not defined for object"],
    ["links that are no array", [{ links: "x" }, "one"], "link 'one' not defined for object"],
  ])("with %s is refused", (_, args, message) => {
    expect(linkFunction(args, known)).toEqual({ kind: "error", message });
  });

  test("gives what was read, and asks for what was not", () => {
    expect(linkFunction([{ links }, "one"], known)).toEqual({
      kind: "value",
      value: { name: "One" },
    });
    expect(linkFunction([{ links }, "one"], new Map())).toEqual({ kind: "pending", key: "/one" });
  });
});

describe("a trigger fires", () => {
  const verdicts = (fields: Partial<Trigger>, ...events: readonly PlatformEvent[]) =>
    matchEvents([trigger(fields)], events, NOW).map(({ verdict }) => verdict);

  test("for events of its type, version and filter", () => {
    expect(verdicts({}, event({}))).toEqual(["fires"]);
    expect(verdicts({}, event({}, { type: "saved_thing" }))).toEqual([]);
    expect(verdicts({ version: "v2" }, event({}), event(1, { version: "v3" }))).toEqual(["fires"]);
    expect(verdicts({ filter: "event.n > 1" }, event({ n: 1 }), event({ n: 2 }))).toEqual([
      "fires",
    ]);
  });

  test.each(["event.n", '"true"', "nil", "event.a.b", "1 / 0 == 1", "event.n %", "("])(
    "not where its filter is %s",
    (filter) => {
      expect(verdicts({ filter }, event({ n: 1 }))).toEqual([]);
    },
  );

  test("perhaps, where its filter reads a link that the event has", () => {
    const filter = 'link(event, "a").ok';
    const links = [{ name: "a", uri: "/a" }];

    expect(verdicts({ filter }, event({ links }), event({ links: [] }))).toEqual(["unknown"]);
  });

  test("for no other modules than its creator may read", () => {
    expect(verdicts({}, event({}, { app: "ledger" }), event({}))).toEqual(["fires"]);
  });

  test("for no other ledgers than its creator may see", () => {
    const { principal } = trigger();
    const bound = { principal: { ...principal, ledgers: ["mine"] } };
    // Of those that are about no ledger it sees the ones of payments only, which are open.
    const hook = event({ n: 2 }, { app: "webhooks" });
    const events = [event({ ledger: "mine" }), event({ ledger: "other" }), event({ n: 1 }), hook];

    expect(matchEvents([trigger(bound)], events, NOW).map(({ event }) => event.payload)).toEqual([
      { ledger: "mine" },
      { n: 1 },
    ]);
  });

  test("not for an event that cannot be read, which holds up no other", () => {
    expect(verdicts({}, event({ text: "a\0b" }), event({ n: 1 }))).toEqual(["fires"]);
  });

  test("perhaps, once its filter has taken too many steps for the events that came together", () => {
    const filter = "len(1..40000) == 40000";
    const events = Array.from({ length: 20 }, (_, n) => event({ n }));

    const found = verdicts({ filter }, ...events);
    expect(found).toHaveLength(20);
    expect(found.filter((verdict) => verdict === "unknown")).toHaveLength(8);
  });
});

test("a trigger fires once for an event, or for the payment or account that it is about", () => {
  const keyOf = (type: string, payload: unknown) => firingKey({ id: "e", type, payload });

  expect(keyOf("SAVED_PAYMENT", { id: "p" })).toBe("id:p");
  expect(keyOf("SAVED_ACCOUNT", { id: "a" })).toBe("id:a");
  expect(keyOf("SAVED_POOL", { id: "x" })).toBe("event:e");
  for (const payload of [{}, { id: "" }, { id: 5 }, null, "p"]) {
    expect(keyOf("SAVED_PAYMENT", payload)).toBe("event:e");
  }
});
