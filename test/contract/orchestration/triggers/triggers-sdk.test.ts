import { describe, expect, test } from "vitest";
import {
  containing,
  eventOf,
  newWorkflow,
  publish,
  untilFired,
} from "#test/support/orchestration/triggers.ts";
import { freshName, token } from "#test/support/platform/api.ts";
import { sdk } from "#test/support/platform/sdk/sdk.ts";

/** The client always gets a token, because the SDK itself sends none with some of these operations. */
const { v1, v2 } = sdk({ bearer: await token() }).orchestration;
const UNKNOWN = "00000000-0000-4000-8000-000000000000";

/** The error code with which a call fails. Each generation of the SDK has its own type of error. */
async function codeOf(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const { name, errorCode } = (error ?? {}) as { name?: string; errorCode?: string }; // all errors of the SDK have a name
  expect(name).toMatch(/^(?:ErrorT|V2Error)$/);
  return errorCode ?? "";
}

describe("triggers of the first generation", () => {
  test("triggers of the first generation are created, read, listed and deleted", async () => {
    const workflowID = await newWorkflow();
    const data = {
      event: freshName("EVENT"),
      name: freshName("trigger"),
      filter: "event.amount > 1",
      version: "v2",
      vars: { amount: "event.amount" },
      workflowID,
    };
    const { createTriggerResponse } = await v1.createTrigger(data);
    const trigger = createTriggerResponse?.data;
    expect(trigger).toMatchObject(data);
    const triggerID = trigger?.id ?? "";
    const { readTriggerResponse } = await v1.readTrigger({ triggerID });
    expect(readTriggerResponse?.data).toEqual(trigger);
    const { listTriggersResponse } = await v1.listTriggers({ name: data.name.toUpperCase() });
    expect(listTriggersResponse?.data).toEqual([trigger]);
    await v1.deleteTrigger({ triggerID });
    const after = await v1.listTriggers({ name: data.name });
    expect(after.listTriggersResponse?.data).toEqual([]);
    expect(await codeOf(v1.readTrigger({ triggerID }))).toBe("NOT_FOUND");
    expect(await codeOf(v1.deleteTrigger({ triggerID }))).toBe("NOT_FOUND");
  });

  test("triggers of the first generation show what they have fired for, also after they are deleted", async () => {
    const event = freshName("EVENT");
    const { createTriggerResponse } = await v1.createTrigger({
      event,
      workflowID: await newWorkflow(),
    });
    const triggerID = createTriggerResponse?.data.id ?? "";
    await publish(eventOf(event, { id: "x" }));
    await untilFired(triggerID);
    await v1.deleteTrigger({ triggerID });
    const { listTriggersOccurrencesResponse } = await v1.listTriggersOccurrences({ triggerID });
    expect(listTriggersOccurrencesResponse?.data).toMatchObject([
      { triggerID, event: { type: event, payload: { id: "x" } } },
    ]);
  });

  test("triggers of the first generation are refused with the codes of the client", async () => {
    const workflowID = await newWorkflow();
    expect(await codeOf(v1.createTrigger({ event: "", workflowID }))).toBe("VALIDATION");
    expect(await codeOf(v1.createTrigger({ event: "A", workflowID: UNKNOWN }))).toBe("NOT_FOUND");
  });
});

describe("triggers of the second generation", () => {
  test("triggers of the second generation are created, read, listed, tested and deleted", async () => {
    const name = freshName("trigger");
    const workflowID = await newWorkflow();
    const { v2CreateTriggerResponse } = await v2.createTrigger({
      event: freshName("EVENT"),
      name,
      filter: 'event.status == "DONE"',
      vars: { status: "event.status", none: '""' },
      workflowID,
    });
    const trigger = v2CreateTriggerResponse?.data;
    const triggerID = trigger?.id ?? "";
    const { v2ReadTriggerResponse } = await v2.readTrigger({ triggerID });
    expect(v2ReadTriggerResponse?.data).toEqual(trigger);
    const { v2ListTriggersResponse } = await v2.listTriggers({ name });
    expect(v2ListTriggersResponse?.cursor.data).toEqual([trigger]);
    const { v2TestTriggerResponse } = await v2.testTrigger({
      triggerID,
      requestBody: { status: "DONE" },
    });
    expect(v2TestTriggerResponse?.data).toEqual({
      filter: { match: true },
      variables: { status: { value: "DONE" }, none: {} },
    });
    await v2.deleteTrigger({ triggerID });
    expect(await codeOf(v2.readTrigger({ triggerID }))).toBe("NOT_FOUND");
    expect(await codeOf(v2.deleteTrigger({ triggerID }))).toBe("NOT_FOUND");
    expect(await codeOf(v2.testTrigger({ triggerID, requestBody: {} }))).toBe("NOT_FOUND");
  });

  test("triggers of the second generation are listed in pages", async () => {
    const group = freshName("group");
    const workflowID = await newWorkflow();
    for (const place of [1, 2, 3]) {
      await v2.createTrigger({ event: "A", name: `${group} ${place}`, workflowID });
    }
    const first = await v2.listTriggers({ name: group, pageSize: 2 });
    expect(first.v2ListTriggersResponse?.cursor).toMatchObject({ hasMore: true, pageSize: 2 });
    const cursor = first.v2ListTriggersResponse?.cursor.next ?? "";
    const second = await v2.listTriggers({ cursor });
    const names = second.v2ListTriggersResponse?.cursor.data.map(({ name }) => name);
    expect(names).toEqual([`${group} 3`]);
    expect(await codeOf(v2.listTriggers({ cursor: "nonsense" }))).toBe("VALIDATION");
  });

  test("triggers of the second generation show what they have fired for in pages", async () => {
    const event = freshName("EVENT");
    const { v2CreateTriggerResponse } = await v2.createTrigger({
      event,
      workflowID: await newWorkflow(),
      vars: { role: "event.a.b" },
      filter: 'event.id != "one"',
    });
    const triggerID = v2CreateTriggerResponse?.data.id ?? "";
    await publish(...["one", "two", "three"].map((id) => eventOf(event, { id, a: null })));
    await untilFired(triggerID, 2);
    const { v2ListTriggersOccurrencesResponse } = await v2.listTriggersOccurrences({
      triggerID,
      pageSize: 1,
    });
    const cursor = v2ListTriggersOccurrencesResponse?.cursor;
    expect(cursor?.hasMore).toBe(true);
    expect(cursor?.data).toMatchObject([
      { triggerID, error: containing("cannot fetch b from <nil> (1:9)") },
    ]);
    const unknown = v2.listTriggersOccurrences({ triggerID: UNKNOWN });
    expect(await codeOf(unknown)).toBe("NOT_FOUND");
    const bad = v2.listTriggersOccurrences({ triggerID, cursor: "nonsense" });
    expect(await codeOf(bad)).toBe("VALIDATION");
  });

  test("triggers of the second generation are refused with the codes of the client", async () => {
    const workflowID = await newWorkflow();
    const refused = v2.createTrigger({ event: "A", workflowID, filter: "event." });
    expect(await codeOf(refused)).toBe("VALIDATION");
    expect(await codeOf(v2.createTrigger({ event: "A", workflowID: UNKNOWN }))).toBe("NOT_FOUND");
  });
});
