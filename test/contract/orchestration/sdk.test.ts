import { beforeAll, describe, expect, test } from "vitest";
import { api, bodyOf, freshName, token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { codeOf, sdk } from "#test/support/platform/sdk/sdk.ts";

/** The client always gets a token, because the SDK itself sends none with some of these operations. */
const { v1, v2 } = sdk({ bearer: await token("orchestration:write") }).orchestration;
const UNKNOWN = "00000000-0000-4000-8000-000000000000";

const ledger = freshName("sdk");
beforeAll(async () => {
  await api(`/api/ledger/v2/${ledger}`, { method: "POST" });
});

const pay = {
  send: {
    source: { account: { id: "world", ledger } },
    destination: { account: { id: "users:${user}", ledger } },
    amount: { amount: "${cents}", asset: "EUR/2" },
    metadata: { user: "${user}" },
  },
};
const config = { name: "sdk", stages: [pay, { wait_event: { event: "go" } }, { noop: {} }] };
const variables = { user: "7", cents: "250" };

/** The operations of both generations, which differ only in their names. */
const V1 = {
  create: async () => (await v1.createWorkflow(config)).createWorkflowResponse?.data,
  workflow: async (flowId: string) => (await v1.getWorkflow({ flowId })).getWorkflowResponse?.data,
  deleteWorkflow: (flowId: string) => v1.deleteWorkflow({ flowId }),
  workflowIds: async () =>
    (await v1.listWorkflows()).listWorkflowsResponse?.data.map(({ id }) => id) ?? [],
  run: async (workflowID: string, wait = false) =>
    (await v1.runWorkflow({ workflowID, wait, requestBody: variables })).runWorkflowResponse?.data,
  instance: async (instanceID: string) =>
    (await v1.getInstance({ instanceID })).getWorkflowInstanceResponse?.data,
  instanceIds: async (workflowID: string, running: boolean) =>
    (await v1.listInstances({ workflowID, running })).listRunsResponse?.data.map(({ id }) => id) ??
    [],
  send: (instanceID: string, name: string) => v1.sendEvent({ instanceID, requestBody: { name } }),
  abort: (instanceID: string) => v1.cancelEvent({ instanceID }),
  history: async (instanceID: string) =>
    (await v1.getInstanceHistory({ instanceID })).getWorkflowInstanceHistoryResponse?.data ?? [],
  activities: async (instanceID: string, number: number) =>
    (await v1.getInstanceStageHistory({ instanceID, number }))
      .getWorkflowInstanceHistoryStageResponse?.data ?? [],
  version: async () => (await v1.getServerInfoOrchestration()).serverInfo?.version,
};
const V2 = {
  create: async () => (await v2.createWorkflow(config)).v2CreateWorkflowResponse?.data,
  workflow: async (flowId: string) =>
    (await v2.getWorkflow({ flowId })).v2GetWorkflowResponse?.data,
  deleteWorkflow: (flowId: string) => v2.deleteWorkflow({ flowId }),
  workflowIds: async () =>
    (await v2.listWorkflows({ pageSize: 100 })).v2ListWorkflowsResponse?.cursor.data.map(
      ({ id }) => id,
    ) ?? [],
  run: async (workflowID: string, wait = false) =>
    (await v2.runWorkflow({ workflowID, wait, requestBody: variables })).v2RunWorkflowResponse
      ?.data,
  instance: async (instanceID: string) =>
    (await v2.getInstance({ instanceID })).v2GetWorkflowInstanceResponse?.data,
  instanceIds: async (workflowID: string, running: boolean) =>
    (await v2.listInstances({ workflowID, running })).v2ListRunsResponse?.cursor.data.map(
      ({ id }) => id,
    ) ?? [],
  send: (instanceID: string, name: string) => v2.sendEvent({ instanceID, requestBody: { name } }),
  abort: (instanceID: string) => v2.cancelEvent({ instanceID }),
  history: async (instanceID: string) =>
    (await v2.getInstanceHistory({ instanceID })).v2GetWorkflowInstanceHistoryResponse?.data ?? [],
  activities: async (instanceID: string, number: number) =>
    (await v2.getInstanceStageHistory({ instanceID, number }))
      .v2GetWorkflowInstanceHistoryStageResponse?.data ?? [],
  version: async () => (await v2.getServerInfo()).v2ServerInfo?.version,
};

describe.each([
  ["v1", V1],
  ["v2", V2],
] as const)("the client of %s", (_name, client) => {
  const created = async (): Promise<string> => (await client.create())?.id ?? "";

  /** An instance that waits for its event. */
  async function waiting(): Promise<{ workflow: string; id: string }> {
    const workflow = await created();
    const started = await client.run(workflow);
    expect(started).toMatchObject({ workflowID: workflow, terminated: false });
    const id = started?.id ?? "";
    await eventually(async () => expect((await client.instance(id))?.status).toHaveLength(2));
    return { workflow, id };
  }

  test("the official client of orchestration creates, reads, lists and deletes workflows", async () => {
    const id = await created();
    expect((await client.workflow(id))?.config).toEqual(config);
    expect(await client.workflowIds()).toContain(id);
    await client.deleteWorkflow(id);
    expect(await client.workflowIds()).not.toContain(id);
    expect((await client.workflow(id))?.id).toBe(id);
    expect(await codeOf(client.workflow(UNKNOWN))).toBe("NOT_FOUND");
    expect(await codeOf(client.deleteWorkflow(UNKNOWN))).toBe("NOT_FOUND");
    expect(await codeOf(client.deleteWorkflow("unknown"))).toBe("VALIDATION");
  });

  test("the official client of orchestration runs an instance to its end, and reads what it has done", async () => {
    const { workflow, id } = await waiting();
    expect(await client.instanceIds(workflow, true)).toEqual([id]);
    await client.send(id, "other");
    await client.send(id, "go");
    const ended = await eventually(async () => {
      const instance = await client.instance(id);
      expect(instance?.terminated).toBe(true);
      return instance;
    });
    expect(ended?.error).toBeUndefined();
    expect(ended?.status?.map(({ stage, instanceID }) => [stage, instanceID])).toEqual([
      [0, id],
      [1, id],
      [2, id],
    ]);
    expect(await client.instanceIds(workflow, true)).toEqual([]);
    expect(await client.instanceIds(workflow, false)).toEqual([id]);
    expect((await client.history(id)).map(({ name }) => name)).toEqual([
      "RunSend",
      "RunWaitEvent",
      "RunNoop",
    ]);
    const [activity, ...others] = await client.activities(id, 0);
    expect(others).toEqual([]);
    expect(activity).toMatchObject({ name: "CreateTransaction", attempt: 1, terminated: true });
    const output = activity?.output?.createTransaction?.data;
    const transaction = Array.isArray(output) ? output[0] : output;
    expect(transaction).toMatchObject({
      metadata: { user: "7" },
      postings: [{ source: "world", destination: "users:7", amount: 250n, asset: "EUR/2" }],
    });
    expect(activity?.input.createTransaction?.ledger).toBe(ledger);
    expect(await codeOf(client.send(id, "go"))).toBe("VALIDATION");
  });

  test("the official client of orchestration aborts an instance, also twice", async () => {
    const { id, workflow } = await waiting();
    await client.deleteWorkflow(workflow);
    expect(await client.instanceIds(workflow, false)).toEqual([]);
    await client.abort(id);
    await client.abort(id);
    expect(await client.instance(id)).toMatchObject({ terminated: true, error: "canceled" });
    expect(await codeOf(client.abort(UNKNOWN))).toBe("NOT_FOUND");
  });

  test("the official client of orchestration is told what is not there", async () => {
    expect(await codeOf(client.run(UNKNOWN))).toBe("NOT_FOUND");
    expect(await codeOf(client.instance(UNKNOWN))).toBe("NOT_FOUND");
    expect(await codeOf(client.send(UNKNOWN, "go"))).toBe("NOT_FOUND");
    expect(await codeOf(client.history(UNKNOWN))).toBe("NOT_FOUND");
    expect(await codeOf(client.activities(UNKNOWN, 0))).toBe("NOT_FOUND");
    expect(await client.version()).toMatch(/^v2\./);
  });
});

describe("an instance that the platform executes", () => {
  const workflow = async (...stages: object[]): Promise<string> => {
    const { data } = (await bodyOf(
      await api("/api/orchestration/workflows", { body: { stages } }),
    )) as { data: { id: string } }; // the server answers this shape
    return data.id;
  };

  test("an instance that the platform executes is waited for to its end", async () => {
    const id = await workflow({ noop: null }, { delay: { duration: "20ms" } });
    const response = await api(`/api/orchestration/workflows/${id}/instances?wait=true`, {
      method: "POST",
    });
    expect(response.status).toBe(201);
    const { data } = (await bodyOf(response)) as { data: object };
    expect(data).toMatchObject({ terminated: true, status: [{ stage: 0 }, { stage: 1 }] });
    expect(data).not.toHaveProperty("error");
  });

  test("an instance that the platform executes goes on by itself once an account has funds", async () => {
    const account = `late:${freshName("a")}`;
    const id = await workflow({
      send: {
        source: { account: { id: account, ledger } },
        destination: { account: { id: "shop", ledger } },
        amount: { amount: "5", asset: "EUR/2" },
      },
    });
    const started = await V2.run(id);
    const pending = await eventually(async () => {
      const [activity] = await V2.activities(started?.id ?? "", 0);
      expect(activity?.lastFailure).toContain("insufficient");
      return activity;
    });
    expect(pending).toMatchObject({ terminated: false });
    expect(pending?.nextExecution).toBeInstanceOf(Date);
    const postings = [{ source: "world", destination: account, asset: "EUR/2", amount: 5 }];
    await api(`/api/ledger/v2/${ledger}/transactions`, { body: { postings } });
    await eventually(async () =>
      expect((await V2.instance(started?.id ?? ""))?.terminated).toBe(true),
    );
  });
});
