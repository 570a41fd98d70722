import { describe, expect, test } from "vitest";
import { getInstance } from "#modules/orchestration/instances/store.ts";
import { freshClient, makeClient } from "#test/support/auth/clients.ts";
import { acting, asAdministrator } from "#test/support/auth/takeover.ts";
import { Flows } from "#test/support/orchestration/flows.ts";
import { freshLedger, funded } from "#test/support/orchestration/sends.ts";
import { newWorkflow, TRIGGERS } from "#test/support/orchestration/triggers.ts";
import { api, freshName, token } from "#test/support/platform/api.ts";

test("an instance is repeated by nobody who may do less than whoever has started it", async () => {
  const flows = new Flows();
  const ledger = await freshLedger("authority");
  const source = { account: { id: await funded(ledger), ledger } };
  const destination = { payment: { psp: "dummypay", connectorId: "none" } };
  const amount = { amount: "100", asset: "EUR/2" };
  const started = await flows.start([{ send: { source, destination, amount } }]);
  await flows.drive(started);
  const failed = await getInstance(flows.context, started.id);
  expect(failed.error).toBeDefined();
  const retry = `/api/florin/v1/instances/${started.id}/retry`;
  const { token: weak } = await freshClient("orchestration:write");
  const refused = await api(retry, { method: "POST", token: weak });
  expect(refused.status).toBe(401);
  expect(refused.headers.get("www-authenticate")).toContain("insufficient_scope");
  expect(await getInstance(flows.context, started.id)).toEqual(failed);
  // A retry acts with all scopes of its client, and not only with those of its token.
  const narrow = await token("orchestration:write");
  expect((await api(retry, { method: "POST", token: narrow })).status).toBe(200);
});

describe("a client with a token of before starts and leaves behind", () => {
  const client = async () =>
    acting(await makeClient({ id: freshName("flows"), scopes: ["orchestration:write"] }));
  const event = "ledger.committed_transactions";

  test("a client starts and leaves behind, by a token of before, nothing after it was deleted", async () => {
    const { id, call } = await client();
    const workflowID = await newWorkflow();
    await api(`/api/auth/clients/${id}`, { method: "DELETE" });
    const path = `/api/orchestration/v2/workflows/${workflowID}/instances`;
    expect((await call(path, { body: {} })).status).toBe(401);
    expect((await call(TRIGGERS, { body: { event, workflowID } })).status).toBe(401);
  });

  test("a client starts and leaves behind, by a token of before, nothing in ledgers to which it is not bound any more", async () => {
    const { id, call } = await client();
    const workflowID = await newWorkflow();
    expect((await call(TRIGGERS, { body: { event, workflowID } })).status).toBe(201);
    await asAdministrator(id, { metadata: { ledgers: "eu-1" } });
    // The owner of the workflow is bound to no ledger, so the bound client does not see the workflow.
    expect((await call(TRIGGERS, { body: { event, workflowID } })).status).toBe(404);
  });
});
