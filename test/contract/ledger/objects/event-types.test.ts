import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { LEDGER_EVENT_TYPES } from "#modules/ledger/event-types.ts";
import { LedgerService } from "#modules/ledger/index.ts";
import { systemContext } from "#platform/context.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import { freshLedger, inLedger, pay, post } from "#test/support/ledger/api.ts";
import { uuidOf } from "#test/support/ledger/buckets.ts";
import { api } from "#test/support/platform/api.ts";

/** Makes a ledger with an entry of each type and returns its events. */
async function eventsOfEachType(): Promise<readonly PlatformEvent[]> {
  const ledger = await freshLedger();
  const answers = [
    await post(ledger, pay("world -> a", 10n ** 30n, { reference: "r", metadata: { x: "y" } })),
    await inLedger(ledger, "/accounts/a/metadata", { body: { m: "n" } }),
    await inLedger(ledger, "/transactions/1/metadata", { body: { m: "n" } }),
    await inLedger(ledger, "/accounts/a/metadata/m", { method: "DELETE" }),
    await inLedger(ledger, "/transactions/1/revert", { method: "POST" }),
    await inLedger(ledger, "/schemas/v1", {
      body: {
        chart: { users: { $id: { ".self": {} } }, world: { ".self": {} } },
        transactions: {},
      },
    }),
  ];
  for (const answer of answers) expect(answer.ok).toBe(true);
  const origin = { ledger, uuid: await uuidOf(ledger) };
  const service = LedgerService.from(systemContext(env, "test"));
  return (await service.readEvents(origin, 0, 100)).events;
}

const typeOf = (type: string) => LEDGER_EVENT_TYPES[type as keyof typeof LEDGER_EVENT_TYPES];

test("every event is of a declared type, and its payload has that type's schema and the example's members", async () => {
  const events = await eventsOfEachType();
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(Object.keys(LEDGER_EVENT_TYPES)));
  for (const { type, payload } of events) {
    const { payload: schema, example } = typeOf(type);
    // The result of `parse` lacks members that the schema does not know.
    expect(schema.parse(payload)).toEqual(payload);
    expect(Object.keys(payload as object).toSorted()).toEqual(Object.keys(example).toSorted());
  }
});

test("every example has the schema of its type", () => {
  for (const { payload, example } of Object.values(LEDGER_EVENT_TYPES)) {
    expect(payload.parse(example)).toEqual(example);
  }
});

test("the API document describes every event as webhooks deliver it", async () => {
  const document = await (
    await api("/openapi.json")
  ).json<{
    webhooks: Record<
      string,
      { post: { requestBody: { content: Record<string, { example: object }> } } }
    >;
  }>();
  const names = Object.keys(LEDGER_EVENT_TYPES).map((type) => `ledger.${type.toLowerCase()}`);
  expect(Object.keys(document.webhooks)).toEqual(expect.arrayContaining(names));
  for (const name of names) {
    const body = document.webhooks[name]?.post.requestBody.content["application/json"];
    expect(body?.example).toMatchObject({ app: "ledger", version: "v2", type: name });
  }
});
