import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { fireOccurrences } from "#modules/orchestration/triggers/firing/fire.ts";
import { makeClient } from "#test/support/auth/clients.ts";
import { freshPerson } from "#test/support/auth/logins.ts";
import {
  acting,
  type ActingClient,
  actingPerson,
  asAdministrator,
  setScopes,
  USERS,
} from "#test/support/auth/takeover.ts";
import {
  containing,
  deliver,
  eventOf,
  loseMessages,
  newTrigger,
  newWorkflow,
  occurrencesOf,
  storedOf,
  triggerContext,
  TRIGGERS,
  untilFired,
} from "#test/support/orchestration/triggers.ts";
import { api, bodyOf, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";

const SCOPES = ["orchestration:write", "payments:read", "ledger:write"];

afterEach(() => {
  vi.restoreAllMocks();
});

const owner = async (fields: object = {}): Promise<ActingClient> =>
  acting(await makeClient({ id: freshName("owner"), scopes: SCOPES, ...fields }));

const remove = ({ id }: { id: string }) => api(`/api/auth/clients/${id}`, { method: "DELETE" });

async function ownerErrorOf(id: string): Promise<unknown> {
  const response = await api(`/api/florin/v1/triggers/${id}/work`);
  const { data } = (await bodyOf(response)) as { data: { ownerError?: string } }; // the schema of the answer has this shape
  return data.ownerError;
}

/** The occurrence of a trigger for an event, once the trigger has fired. */
async function firingOf({ id, event }: { id: string; event: string }, payload: object = {}) {
  await deliver([eventOf(event, payload)]);
  const [occurrence] = await untilFired(id);
  return occurrence;
}

const refused = (part: string) => ({ workflowInstanceID: undefined, error: containing(part) });

describe("a trigger starts nothing, and says so, when its owner", () => {
  test("a trigger starts nothing when its owner is a client that is gone, also after the id is back with less", async () => {
    const flows = await owner();
    const [one, two] = [await newTrigger({}, flows), await newTrigger({}, flows)];
    expect(await ownerErrorOf(one.id)).toBeUndefined();
    await remove(flows);
    const gone = `the client '${flows.id}', is gone`;
    expect({ workflowInstanceID: undefined, ...(await firingOf(one)) }).toMatchObject(
      refused(gone),
    );
    expect(await ownerErrorOf(one.id)).toEqual(containing(gone));
    await makeClient({ id: flows.id, scopes: ["auth:write"] });
    expect({ workflowInstanceID: undefined, ...(await firingOf(two)) }).toMatchObject(
      refused("has lost the scope orchestration:write"),
    );
    expect(await ownerErrorOf(two.id)).toEqual(containing("orchestration:write"));
  });

  test.each([
    ["may start no workflows", ["payments:read"], "orchestration:write"],
    ["may not read the event", ["orchestration:write"], "payments:read"],
  ])("a trigger starts nothing when its owner %s any more", async (_, scopes, lost) => {
    const flows = await owner();
    const trigger = await newTrigger({}, flows);
    await asAdministrator(flows.id, { scopes });
    expect({ workflowInstanceID: undefined, ...(await firingOf(trigger)) }).toMatchObject(
      refused(`has lost the scope ${lost}`),
    );
  });

  test("a trigger starts nothing when its owner is bound to other ledgers than that of the event", async () => {
    const flows = await owner();
    const trigger = await newTrigger({}, flows);
    await asAdministrator(flows.id, { metadata: { ledgers: "eu-*" } });
    const fired = await firingOf(trigger, { ledger: "us-1" });
    expect({ workflowInstanceID: undefined, ...fired }).toMatchObject(
      refused("access to the ledger of the event"),
    );
  });

  test.each([
    ["has lost the scope", (id: string) => setScopes(id, ["ledger:read"]), "orchestration:write"],
    ["is gone", (id: string) => api(`${USERS}/${id}`, { method: "DELETE" }), "is gone"],
  ])("a trigger starts nothing when its owner is a person who %s", async (_, change, why) => {
    const ada = await freshPerson(...SCOPES);
    const { call } = await actingPerson(ada);
    const event = freshName("EVENT");
    const made = await call(TRIGGERS, { body: { event, workflowID: await newWorkflow() } });
    const { data } = (await bodyOf(made)) as { data: { id: string } }; // the schema of the answer has this shape
    await change(ada.id);
    expect({
      workflowInstanceID: undefined,
      ...(await firingOf({ ...data, event })),
    }).toMatchObject(refused(why));
    expect(await ownerErrorOf(data.id)).toEqual(containing(`the user '${ada.id}'`));
  });
});

test("an instance of a trigger may do no more than its owner could at the start, and can now", async () => {
  const ledger = freshName("books");
  await api(`/api/ledger/v2/${ledger}`, { method: "POST" });
  const postings = {
    source: { account: { id: "world", ledger } },
    amount: { amount: "5", asset: "EUR" },
  };
  const stage = { send: { ...postings, destination: { account: { id: "shop", ledger } } } };
  const workflowID = await newWorkflow([stage]);
  const flows = await owner();
  const weaker = await owner({ scopes: ["orchestration:write", "payments:read"] });
  const event = freshName("EVENT");
  const [lost, gained] = [
    await newTrigger({ event, workflowID }, flows),
    await newTrigger({ event, workflowID }, weaker),
  ];
  await asAdministrator(flows.id, { scopes: ["orchestration:write", "payments:read"] });
  await asAdministrator(weaker.id, { scopes: SCOPES });
  await deliver([eventOf(event, {})]);
  for (const { id } of [lost, gained]) {
    const [{ workflowInstanceID = "" } = {}] = await untilFired(id);
    await eventually(async () => {
      const response = await api(`/api/orchestration/v2/instances/${workflowInstanceID}`);
      expect(await bodyOf(response)).toMatchObject({
        data: { terminated: true, error: containing("without the scope ledger:write") },
      });
    });
  }
});

test("an occurrence starts one instance also where its owner is bound to other ledgers between two attempts", async () => {
  loseMessages();
  const flows = await owner();
  const { id, event } = await newTrigger({}, flows);
  await deliver([eventOf(event, {})]);
  const [{ id: occurrence } = { id: "" }] = await storedOf(id);
  await fireOccurrences(triggerContext, [occurrence]);
  const [started] = await occurrencesOf(id);
  expect(started?.workflowInstanceID).toBeDefined();
  // Takes the occurrence back to its state before the result was stored, as a killed process leaves it.
  await env.DB.prepare(
    "UPDATE orchestration_occurrences SET state = 'fire', due_at = date, lease_until = NULL, instance_id = NULL WHERE id = ?",
  )
    .bind(occurrence)
    .run();
  await asAdministrator(flows.id, { metadata: { ledgers: "eu-*" } });
  await fireOccurrences(triggerContext, [occurrence]);
  expect(await occurrencesOf(id)).toMatchObject([
    { workflowInstanceID: started?.workflowInstanceID },
  ]);
});
