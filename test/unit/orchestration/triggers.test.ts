import { beforeEach, describe, expect, test } from "vitest";
import { evaluateTurn } from "#modules/orchestration/triggers/lane/evaluate.ts";
import { refilled, waitMsOf } from "#modules/orchestration/triggers/lane/token-bucket.ts";
import { linkFunction } from "#modules/orchestration/triggers/link-function.ts";
import { TriggerCatalogue } from "#modules/orchestration/triggers/matching/catalogue.ts";
import { TriggerFilter } from "#modules/orchestration/triggers/matching/filter.ts";
import { selectEvents } from "#modules/orchestration/triggers/matching/select.ts";
import { firingKey, type Match } from "#modules/orchestration/triggers/occurrences.ts";
import type { Trigger } from "#modules/orchestration/triggers/trigger.ts";
import { declareEventScopes } from "#platform/access/event-scopes.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import { fromMillis } from "#platform/time.ts";
import { triggerOf } from "#test/support/orchestration/trigger-of.ts";

beforeEach(() => declareEventScopes(new Map()));

const NOW = fromMillis(1_750_000_000_000);

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
  ])("link(object, rel) with %s is refused", (_, args, message) => {
    expect(linkFunction(args, known)).toEqual({ kind: "error", message });
  });

  test("link(object, rel) gives what was read, and asks for what was not", () => {
    expect(linkFunction([{ links }, "one"], known)).toEqual({
      kind: "value",
      value: { name: "One" },
    });
    expect(linkFunction([{ links }, "one"], new Map())).toEqual({ kind: "pending", key: "/one" });
  });
});

/** The matches of a trigger: those that the index finds, and those of the evaluations that the index leaves to the lane. */
function matchesOf(trigger: Trigger, events: readonly PlatformEvent[]): Match[] {
  const { matches, owed } = selectEvents(new TriggerCatalogue({}, "first", [trigger]), events);
  const filters = new Map([[trigger.key, new TriggerFilter(trigger)]]);
  const waiting = owed.map(({ event, text }, seq) => ({
    seq,
    id: event.id,
    text,
    triggers: [trigger.key],
  }));
  const turn = evaluateTurn(waiting, filters, { now: NOW, stepsMax: Infinity });
  return [...matches, ...turn.matches];
}

describe("a trigger fires", () => {
  const verdicts = (fields: Partial<Trigger>, ...events: readonly PlatformEvent[]) =>
    matchesOf(triggerOf(fields), events).map(({ verdict }) => verdict);

  test("a trigger fires for events of its type, version and filter", () => {
    expect(verdicts({}, event({}))).toEqual(["fires"]);
    expect(verdicts({}, event({}, { type: "saved_thing" }))).toEqual([]);
    expect(verdicts({ version: "v2" }, event({}), event(1, { version: "v3" }))).toEqual(["fires"]);
    expect(verdicts({ filter: "event.n > 1" }, event({ n: 1 }), event({ n: 2 }))).toEqual([
      "fires",
    ]);
  });

  test.each(["event.n", '"true"', "nil", "event.a.b", "1 / 0 == 1", "event.n %", "("])(
    "a trigger does not fire where its filter is %s",
    (filter) => {
      expect(verdicts({ filter }, event({ n: 1 }))).toEqual([]);
    },
  );

  test("a trigger fires perhaps, where its filter reads a link that the event has", () => {
    const filter = 'link(event, "a").ok';
    const links = [{ name: "a", uri: "/a" }];

    expect(verdicts({ filter }, event({ links }), event({ links: [] }))).toEqual(["unknown"]);
  });

  test("a trigger fires for no other modules than its creator may read", () => {
    expect(verdicts({}, event({}, { app: "ledger" }), event({}))).toEqual(["fires"]);
  });

  test("a trigger does not fire for events whose payloads hold data of modules that its creator may not read", () => {
    const types = new Map([["payments.saved_thing", ["payments:read", "ledger:read"] as const]]);
    declareEventScopes(types);
    const { principal } = triggerOf();
    const scopes = new Set(["orchestration:write", "payments:read", "ledger:read"] as const);
    const strong = { principal: { ...principal, scopes } };

    expect(verdicts({}, event({}))).toEqual([]);
    expect(verdicts(strong, event({}))).toEqual(["fires"]);
  });

  test("a trigger fires for no other ledgers than its creator may see", () => {
    const { principal } = triggerOf();
    const bound = { principal: { ...principal, ledgers: ["mine"] } };
    // Events without a ledger are hidden from a bound trigger, except those of payments.
    const hook = event({ n: 2 }, { app: "webhooks" });
    const events = [event({ ledger: "mine" }), event({ ledger: "other" }), event({ n: 1 }), hook];

    expect(matchesOf(triggerOf(bound), events).map(({ event }) => event.payload)).toEqual([
      { ledger: "mine" },
      { n: 1 },
    ]);
  });

  test("a trigger does not fire for an event that cannot be read, which holds up no other", () => {
    expect(verdicts({}, event({ text: "a\0b" }), event({ n: 1 }))).toEqual(["fires"]);
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

describe("a turn of a lane", () => {
  const filterOf = (key: number, filter: string) =>
    [key, new TriggerFilter(triggerOf({ key, filter }))] as const;
  const waiting = (seq: number, triggers: readonly number[]) => {
    const it = event({ n: seq });
    return { seq, id: it.id, text: JSON.stringify(it), triggers };
  };

  test("a turn of a lane of triggers ends after a filter that takes many steps, in the middle of an event", () => {
    const filters = new Map([filterOf(1, "len(1..40000) == 40000"), filterOf(2, "event.n < 9")]);
    const turn = evaluateTurn([waiting(1, [1, 2])], filters, { now: NOW, stepsMax: Infinity });

    expect(turn.evaluations).toMatchObject([{ seq: 1, trigger: 1, kind: "fires" }]);
    expect(turn.steps).toBeGreaterThan(40_000);
  });

  test("a turn of a lane of triggers evaluates no more than the budget allows", () => {
    const filters = new Map([filterOf(1, "event.n > 0")]);
    const events = Array.from({ length: 50 }, (_, seq) => waiting(seq, [1]));
    const { steps } = evaluateTurn(events.slice(0, 1), filters, { now: NOW, stepsMax: Infinity });
    const turn = evaluateTurn(events, filters, { now: NOW, stepsMax: 3 * steps });

    expect(turn.evaluations).toHaveLength(3);
  });

  test("a turn of a lane of triggers skips a trigger that is deleted, and tells of a filter that fails", () => {
    const filters = new Map([filterOf(1, "event.a.b"), filterOf(3, "event.n == 1")]);
    const turn = evaluateTurn([waiting(1, [1, 2, 3])], filters, { now: NOW, stepsMax: Infinity });

    expect(turn.evaluations).toMatchObject([
      { kind: "fails", error: "cannot fetch b from <nil>" },
      { kind: "gone", steps: 0 },
      { kind: "fires" },
    ]);
    expect(turn.failed.map(({ filter }) => filter.trigger.key)).toEqual([1]);
  });
});

test("a budget is refilled as time goes on, up to a burst, and not by a clock that steps back", () => {
  const rate = { perSecond: 1000, burst: 5000 };
  const empty = { steps: -500, atMs: 10_000 };

  expect(refilled(undefined, rate, 10_000)).toEqual({ steps: 5000, atMs: 10_000 });
  expect(refilled(empty, rate, 11_000)).toEqual({ steps: 500, atMs: 11_000 });
  expect(refilled(empty, rate, 99_000)).toEqual({ steps: 5000, atMs: 99_000 });
  expect(refilled(empty, rate, 1000)).toEqual({ steps: -500, atMs: 1000 });
  expect(waitMsOf(empty, rate)).toBe(501);
  expect(waitMsOf({ steps: 1, atMs: 0 }, rate)).toBe(0);
});
