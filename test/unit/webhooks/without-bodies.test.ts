import { expect, test } from "vitest";
import { withoutBodies } from "#modules/webhooks/fan-out/without-bodies.ts";

const ORIGIN = { source: "ledger", ledger: "main", uuid: "u" } as const;
const event = (position: number, fields: object = {}) => ({
  position,
  eventType: "ledger.committed_transactions",
  idempotencyKey: "",
  body: "{}",
  ...fields,
});

test("events of one type and cause that follow each other become a run", () => {
  const events = [
    event(1, { cause: "a" }),
    event(2, { cause: "a" }),
    event(3, { cause: "b" }),
    event(4),
    event(5),
    event(7),
  ];
  const [eventType] = events.map((one) => one.eventType);
  expect(withoutBodies({ origin: ORIGIN, events })).toEqual({
    origin: ORIGIN,
    events: [],
    runs: [
      { first: 1, last: 2, eventType, cause: "a" },
      { first: 3, last: 3, eventType, cause: "b" },
      { first: 4, last: 5, eventType },
      { first: 7, last: 7, eventType },
    ],
  });
});

test("an event with a key stays an event, with its cause and without its body", () => {
  const events = [event(1, { idempotencyKey: "k", cause: "a" })];
  const { body: _, ...bare } = event(1, { idempotencyKey: "k", cause: "a" });
  expect(withoutBodies({ origin: ORIGIN, events })).toEqual({ origin: ORIGIN, events: [bare] });
});
