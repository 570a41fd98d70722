import { registerSchema, unregisterSchema, validate } from "@hyperjump/json-schema/draft-2020-12";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { LEDGER_EVENT_TYPES } from "#modules/ledger/event-types.ts";
import { LedgerEvents } from "#modules/ledger/ledger-events.ts";
import { toWrittenPayload } from "#modules/webhooks/calls/payload.ts";
import { toPayload } from "#modules/webhooks/index.ts";
import { present } from "#platform/assert.ts";
import { eventName, type PlatformEvent } from "#platform/events/envelope.ts";
import { freshLedger, inLedger, pay, post } from "#test/support/ledger/api.ts";
import { uuidOf } from "#test/support/ledger/buckets.ts";
import { api, token } from "#test/support/platform/api.ts";

/** Makes a ledger with an entry of each type; returns the events of the ledger. */
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
  const source = new LedgerEvents(env);
  const { events, to } = await source.read(origin, 0, 100);
  const again = await source.reread(origin, 0, 100);
  expect(again.events.map(toWrittenPayload)).toEqual(events.map(toPayload));
  const bare = await source.readBare(origin, 0, 100);
  expect(bare.events).toEqual(events.map((event) => ({ ...event, payload: undefined })));
  expect([again.to, bare.to]).toEqual([to, to]);
  return events;
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

describe("the list of event types", () => {
  interface ListedType {
    readonly name: string;
    readonly app: string;
    readonly version: string;
    readonly description: string;
    readonly schema: object;
    readonly example: object;
  }
  type JsonValue = Parameters<Awaited<ReturnType<typeof validate>>>[0];

  const PATH = "/api/florin/v1/event-types";
  let types: readonly ListedType[];

  beforeAll(async () => {
    const response = await api(PATH, { token: await token("webhooks:read") });
    ({ data: types } = await response.json<{ data: readonly ListedType[] }>());
  });

  /** Validates a body against the schema of its event type, which refers to no other schema. */
  async function checkBody({ name, schema }: ListedType, body: unknown): Promise<unknown> {
    const uri = `https://florin.example/${name}`;
    registerSchema(schema as Parameters<typeof registerSchema>[0], uri); // parsed from JSON
    try {
      return (await validate(uri))(body as JsonValue, "BASIC");
    } finally {
      unregisterSchema(uri);
    }
  }

  test("the list of event types has every type of the ledger, by the name that webhooks subscribe to", () => {
    const names = Object.keys(LEDGER_EVENT_TYPES).map((type) => `ledger.${type.toLowerCase()}`);
    const listed = types.filter(({ app }) => app === "ledger");
    expect(listed.map(({ name }) => name)).toEqual(names);
    for (const { version, description } of listed) {
      expect([version, description]).toEqual(["v2", expect.stringMatching(/\.$/)]);
    }
  });

  test("the list of event types has an example of each that its schema takes", async () => {
    for (const type of types) {
      expect([type.name, await checkBody(type, type.example)]).toEqual([
        type.name,
        { valid: true },
      ]);
      expect(await checkBody(type, { ...type.example, payload: 7 })).toMatchObject({
        valid: false,
      });
      expect(await checkBody(type, { ...type.example, type: "x" })).toMatchObject({ valid: false });
    }
  });

  test("the list of event types has schemas that take what is delivered", async () => {
    for (const event of await eventsOfEachType()) {
      const type = present(
        types.find(({ name }) => name === eventName(event)),
        "every event has a type",
      );
      const body: unknown = JSON.parse(toPayload(event));
      expect(body).toMatchObject({ app: type.app, version: type.version, type: type.name });
      expect([type.name, await checkBody(type, body)]).toEqual([type.name, { valid: true }]);
    }
  });

  test("the list of event types has one type where one is asked for", async () => {
    const named = async (name: string) =>
      (await api(`${PATH}?name=${name}`)).json<{ data: readonly ListedType[] }>();
    const type = types.find(({ name }) => name === "ledger.saved_metadata");
    expect(await named("ledger.saved_metadata")).toEqual({ data: [type] });
    expect(await named("ledger.saved")).toEqual({ data: [] });
  });

  test("the list of event types is for tokens that may read webhooks", async () => {
    expect((await api(PATH, { token: null })).status).toBe(401);
    expect((await api(PATH, { token: await token("ledger:write") })).status).toBe(401);
  });
});

test("reading events again sets no timer, which an object that reads all the time would keep", async () => {
  const ledger = await freshLedger();
  await post(ledger, pay("world -> a", 1n));
  const origin = { ledger, uuid: await uuidOf(ledger) };
  const source = new LedgerEvents(env);
  const timers = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => timers.mockRestore());
  expect((await source.reread(origin, 0, 100)).events).toHaveLength(1);
  expect(timers).not.toHaveBeenCalled();
  await source.read(origin, 0, 100);
  expect(timers).toHaveBeenCalledOnce();
});
