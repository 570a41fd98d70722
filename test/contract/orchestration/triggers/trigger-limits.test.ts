import { describe, expect, test } from "vitest";
import { freshClient } from "#test/support/auth/clients.ts";
import {
  deliver,
  eventOf,
  newTrigger,
  occurrencesOf,
  untilFired,
} from "#test/support/orchestration/triggers.ts";

describe("a trigger sees no more than its creator", () => {
  test("a trigger whose creator may read no payments is not fired by their events", async () => {
    const blind = await newTrigger({}, await freshClient("orchestration:write", "ledger:write"));
    const seeing = await newTrigger(
      { event: blind.event },
      await freshClient("orchestration:write", "payments:read"),
    );
    await deliver([eventOf(blind.event, { secret: "iban" })]);
    await untilFired(seeing.id);

    expect(await occurrencesOf(blind.id)).toEqual([]);
  });
});

describe("an event", () => {
  test("an event is not lost where the filters took much work for the events before", async () => {
    const { id, event } = await newTrigger({ filter: "all(1..30000, # > 0)" });
    const events = Array.from({ length: 10 }, (_, number) => eventOf(event, { number }));
    await deliver(events);

    expect(await untilFired(id, 10)).toHaveLength(10);
  });
});
