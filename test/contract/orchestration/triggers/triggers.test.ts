import { describe, expect, test } from "vitest";
import {
  containing,
  deliver,
  eventOf,
  newTrigger,
  newWorkflow,
  occurrencesOf,
  publish,
  TRIGGERS,
  untilFired,
  variablesOf,
} from "#test/support/orchestration/triggers.ts";
import { api, bodyOf, freshName, token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

/** The answer to a test of a trigger's expressions. */
async function testOf(id: string, payload: unknown): Promise<unknown> {
  const response = await api(`${TRIGGERS}/${id}/test`, { body: payload });
  expect(response.status).toBe(200);
  return ((await bodyOf(response)) as { data: unknown }).data; // the schema of the answer has this shape
}

async function refusalOf(body: unknown): Promise<{ status: number; message: string }> {
  const response = await api(TRIGGERS, { body });
  const { errorMessage } = (await bodyOf(response)) as { errorMessage: string }; // the schema of the answer has this shape
  return { status: response.status, message: errorMessage };
}

describe("the occurrences of a trigger that there never was", () => {
  test.each([`/api/orchestration/triggers`, TRIGGERS])(
    "the occurrences of a trigger that there never was are not found below %s",
    async (path) => {
      const response = await api(`${path}/${UNKNOWN}/occurrences`);
      expect(response.status).toBe(404);
      expect(await bodyOf(response)).toMatchObject({ errorCode: "NOT_FOUND" });
    },
  );
});

describe("a trigger is refused", () => {
  test.each([
    ["without an event", { event: "" }, "validating data: missing event"],
    ["without a workflow", { workflowID: "" }, "validating data: missing workflow id"],
    [
      "with a filter that does not parse",
      { filter: "a +" },
      "validating data: error compiling expression 'a +': unexpected token EOF (1:4)\n | a +\n | ...^",
    ],
    [
      "with a filter that is too long",
      { filter: `"${"a".repeat(30_000)}"` },
      "at most 20000 characters",
    ],
    ["with a filter that is nested too deep", { filter: "(".repeat(1000) }, "at most 100 levels"],
    ["with a pattern that is none", { filter: 'event.a matches "("' }, "missing closing )"],
    [
      "with a variable that does not parse",
      { vars: { a: "1", b: "]" } },
      "compiling expression ']'",
    ],
    ["with a variable that is no text", { vars: { a: 1 } }, "vars.a"],
    ["with a filter that is no text", { filter: 1 }, "filter"],
    ["with a long name", { name: "a".repeat(256) }, "at most 255 characters"],
    ["without a body", null, ""],
  ])("a trigger is refused %s", async (_, part, message) => {
    const body = part === null ? null : { event: "A", workflowID: await newWorkflow(), ...part };
    const refusal = await refusalOf(body);

    expect(refusal.status).toBe(400);
    expect(refusal.message).toContain(message);
  });

  test("a trigger is refused for a workflow that is unknown or deleted", async () => {
    const workflowID = await newWorkflow();
    await api(`/api/orchestration/v2/workflows/${workflowID}`, { method: "DELETE" });

    for (const id of [workflowID, UNKNOWN]) {
      expect(await refusalOf({ event: "A", workflowID: id })).toEqual({
        status: 404,
        message: containing("workflow does not exists"),
      });
    }
  });

  test("a trigger is refused where the token lacks the scope", async () => {
    const body = { event: "A", workflowID: UNKNOWN };
    const response = await api(TRIGGERS, { body, token: await token("orchestration:read") });

    expect(response.status).toBe(401);
  });
});

describe("a test", () => {
  const MESSAGE = "invalid operation: <nil> + <nil> (1:3)\n | a + b\n | ..^";

  test.each([
    ["without filter and variables", {}, {}, {}],
    [
      "that matches",
      { filter: "true", vars: { a: "event.x" } },
      { x: 1_200_000 },
      { filter: { match: true }, variables: { a: { value: "1200000" } } },
    ],
    [
      "whose filter fails",
      { filter: "a + b", vars: { a: "1" } },
      {},
      { filter: { match: false, error: MESSAGE } },
    ],
    [
      "whose variables fail",
      { vars: { a: "a + b", b: "event.y" } },
      {},
      { variables: { a: { error: MESSAGE }, b: { value: "<nil>" } } },
    ],
    [
      "whose filter divides by zero",
      { filter: "event.n / 0 > 1" },
      { n: 1 },
      { filter: { match: false, error: containing("division by zero") } },
    ],
    ["whose filter is no boolean", { filter: "event.n" }, { n: 1 }, { filter: { match: false } }],
    ["of nil", { filter: "event == nil" }, null, { filter: { match: true } }],
    [
      "with a bomb",
      { filter: "len(1..1000000) > 0" },
      {},
      { filter: { match: false, error: containing("at most 200000 steps") } },
    ],
    [
      "with other values",
      { vars: { a: "event.big", b: "event.rate", c: "event.list" } },
      '{"big": 12345678901234567890, "rate": 0.5, "list": [1, "x"]}',
      {
        variables: {
          a: { value: "12345678901234567890" },
          b: { value: "0.5" },
          c: { value: "[1 x]" },
        },
      },
    ],
    [
      "with links that are not there",
      { vars: { a: 'link(event, "b")', b: "link(event)", c: "link(event, 1)" } },
      { links: [] },
      {
        variables: {
          a: { error: "link 'b' not defined for object" },
          b: { error: "expect two arguments, got 1" },
          c: { error: "second parameter must be a string" },
        },
      },
    ],
  ])("a test %s answers what it would do", async (...row) => {
    const [, trigger, payload, expected] = row;
    const { id } = await newTrigger(trigger);

    expect(await testOf(id, payload)).toEqual(expected);
    expect(await occurrencesOf(id)).toEqual([]);
  });

  test("a test of an unknown trigger is refused", async () => {
    const response = await api(`${TRIGGERS}/${UNKNOWN}/test`, { body: {} });

    expect(response.status).toBe(404);
  });
});

describe("an event", () => {
  test("an event starts an instance with the values of its variables", async () => {
    const { id, event } = await newTrigger({
      vars: {
        amount: "event.amount",
        name: '"order-" + event.id',
        paid: "event.paid",
        none: "event.x",
      },
    });
    await publish(eventOf(event, { id: "7", amount: 1_200_000, paid: true }));
    const [occurrence] = await untilFired(id);

    expect(occurrence).toMatchObject({ event: { type: event, payload: { id: "7" } } });
    expect(occurrence).not.toHaveProperty("error");
    expect(await variablesOf(occurrence?.workflowInstanceID)).toEqual({
      amount: "1200000",
      name: "order-7",
      paid: "true",
      none: "<nil>",
    });
    await eventually(async () => {
      expect((await occurrencesOf(id))[0]?.workflowInstance).toMatchObject({ terminated: true });
    });
  });

  test("an event fires the triggers of its type, version and filter only", async () => {
    const event = freshName("EVENT");
    const fires = [{}, { version: "v2" }, { filter: "event.n == 1" }];
    const passes = [
      { version: "v3" },
      { filter: "event.n == 2" },
      { filter: "event.n" },
      { event: `${event}-OTHER` },
    ];
    const fails = ["event.a.b == 1", "1 / 0 > 1", "len(1..1000000) > 0"];
    const firing = await Promise.all(fires.map((body) => newTrigger({ event, ...body })));
    const passing = await Promise.all(passes.map((body) => newTrigger({ event, ...body })));
    const failing = await Promise.all(fails.map((filter) => newTrigger({ event, filter })));
    const deleted = await newTrigger({ event });
    await api(`${TRIGGERS}/${deleted.id}`, { method: "DELETE" });
    await publish(eventOf(event, { n: 1 }));
    for (const { id } of firing) expect(await untilFired(id)).toHaveLength(1);
    for (const { id } of failing) {
      const [occurrence] = await untilFired(id);
      expect(occurrence?.error).toContain("filter: ");
      expect(occurrence).not.toHaveProperty("workflowInstanceID");
    }

    for (const { id } of [...passing, deleted]) expect(await occurrencesOf(id)).toEqual([]);
  });

  test("an event that comes twice fires once", async () => {
    const { id, event } = await newTrigger();
    const last = await newTrigger({ event });
    const first = eventOf(event, { n: 1 });
    const messages = [[first], [first, first], [eventOf(event, { n: 2 })]];
    for (const events of messages) await deliver(events);
    await untilFired(last.id, 2);

    expect(await untilFired(id, 2)).toHaveLength(2);
  });

  test("an event of a payment fires once for the payment, whatever becomes of it", async () => {
    const { id } = await newTrigger({ event: "SAVED_PAYMENT", filter: 'event.status == "DONE"' });
    const payment = freshName("payment");
    for (const status of ["PENDING", "DONE", "DONE", "FAILED"]) {
      await deliver([eventOf("SAVED_PAYMENT", { id: payment, status })]);
    }
    await deliver([eventOf("SAVED_PAYMENT", { id: `${payment}-2`, status: "DONE" })]);
    await deliver([eventOf("SAVED_PAYMENT", { status: "DONE" })]);
    await deliver([eventOf("SAVED_PAYMENT", { id: 5, status: "DONE" })]);

    const found = await untilFired(id, 4);
    expect(found.map(({ event }) => (event.payload as { id?: unknown }).id)).toEqual([
      payment,
      `${payment}-2`,
      undefined,
      5,
    ]);
  });

  test("an event whose variables fail is recorded with the error, and told", async () => {
    const { id, event } = await newTrigger({ vars: { a: '"x"', b: 'link(event, "unknown")' } });
    await publish(eventOf(event, {}));
    const [occurrence] = await untilFired(id);

    expect(occurrence).toMatchObject({
      error: "variable 'b': link 'unknown' not defined for object",
    });
    expect(occurrence).not.toHaveProperty("workflowInstanceID");
    expect(occurrence).not.toHaveProperty("workflowInstance");
  });

  test("an event of orchestration itself fires nothing", async () => {
    const { id, event } = await newTrigger();
    await deliver([{ ...eventOf(event, {}), app: "orchestration" }, eventOf(event, { n: 1 })]);

    expect(await untilFired(id)).toHaveLength(1);
  });

  test("an event of a ledger fires the trigger that was set on its transactions", async () => {
    const ledger = freshName("ledger");
    await api(`/api/ledger/v2/${ledger}`, { body: {} });
    const { id } = await newTrigger({
      event: "COMMITTED_TRANSACTIONS",
      filter: `event.ledger == "${ledger}" and any(event.transactions, any(.postings, .destination == "bank"))`,
      vars: { amount: "event.transactions[0].postings[0].amount" },
    });
    const posting = { source: "world", asset: "EUR/2", amount: 12345678901234567890n };
    for (const destination of ["shop", "bank"]) {
      const body = { postings: [{ ...posting, destination }] };
      await api(`/api/ledger/v2/${ledger}/transactions`, { body });
    }
    const [occurrence, ...others] = await untilFired(id);

    expect(others).toEqual([]);
    expect(await variablesOf(occurrence?.workflowInstanceID)).toEqual({
      amount: "12345678901234567890",
    });
  });
});
