import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { api, bodyOf, freshName } from "#test/support/platform/api.ts";

/** Tests of orchestration's operations by plain HTTP, with sentences of the product's specification. */

const ORCHESTRATION = "/api/orchestration";
const UNKNOWN = "00000000-0000-4000-8000-000000000000";

const DateTime = z.iso.datetime();
const Texts = z.record(z.string(), z.string());
const ErrorBody = z.strictObject({
  errorCode: z.enum(["VALIDATION", "NOT_FOUND"]),
  errorMessage: z.string().regex(/^\[[A-Z_]+\] ./),
  details: z.string().optional(),
});
const Stage = z.strictObject({
  stage: z.int(),
  instanceID: z.string(),
  startedAt: DateTime,
  terminatedAt: DateTime.optional(),
  error: z.string().optional(),
});
const Workflow = z.object({
  id: z.string(),
  createdAt: DateTime,
  updatedAt: DateTime,
  config: z.object({ name: z.string(), stages: z.array(z.looseObject({})) }),
});
const Instance = z.object({
  id: z.string(),
  workflowID: z.string(),
  createdAt: DateTime,
  updatedAt: DateTime,
  terminated: z.boolean(),
  terminatedAt: DateTime.optional(),
  error: z.string().optional(),
  status: z.array(Stage).optional(),
  workflow: Workflow.optional(),
});
const Side = z.object({
  wallet: z.object({ id: z.string().optional(), balance: z.string().optional() }).optional(),
  account: z.object({ id: z.string(), ledger: z.string().optional() }).optional(),
  payment: z.object({ id: z.string().optional(), psp: z.string().optional() }).optional(),
});
const HistoryEntry = z.object({
  name: z.string(),
  input: z.object({
    amount: z.object({ asset: z.string(), amount: z.int() }).optional(),
    source: Side.optional(),
    destination: Side.optional(),
    metadata: Texts.nullish(),
    timestamp: DateTime.nullish(),
  }),
  terminated: z.boolean(),
  startedAt: DateTime,
  terminatedAt: DateTime.optional(),
  error: z.string().optional(),
});
const Trigger = z.object({
  id: z.string(),
  createdAt: DateTime,
  event: z.string(),
  workflowID: z.string(),
  version: z.string().optional(),
  filter: z.string().optional(),
  vars: Texts.optional(),
  name: z.string().optional(),
});

interface Expectation<S extends z.ZodType> {
  readonly status: number;
  readonly data: S;
  readonly body?: object;
}

/** The `data` of an answer with the expected status. */
async function dataOf<S extends z.ZodType>(
  request: string,
  { status, data, body }: Expectation<S>,
): Promise<z.output<S>> {
  const [method = "", path = ""] = request.split(" ");
  const response = await api(path, { method, ...(body === undefined ? {} : { body }) });
  expect({ request, status: response.status }).toEqual({ request, status });
  return data.parse(z.strictObject({ data: z.unknown() }).parse(await bodyOf(response)).data);
}

async function refusalOf(request: string, body?: object): Promise<[number, string]> {
  const [method = "", path = ""] = request.split(" ");
  const response = await api(path, { method, ...(body === undefined ? {} : { body }) });
  const { errorCode } = ErrorBody.parse(await bodyOf(response));
  return [response.status, errorCode];
}

const ledger = freshName("spec");
let workflowID: string;

beforeAll(async () => {
  await api(`/api/ledger/v2/${ledger}`, { method: "POST" });
  const workflow = await dataOf(`POST ${ORCHESTRATION}/v2/workflows`, {
    status: 201,
    data: Workflow,
    body: {
      name: "specification",
      stages: [
        {
          send: {
            source: { account: { id: "world", ledger } },
            destination: { account: { id: "users:1", ledger } },
            amount: { amount: 100, asset: "EUR/2" },
            metadata: { reason: "test" },
          },
        },
        { noop: {} },
      ],
    },
  });
  workflowID = workflow.id;
});

const run = () =>
  dataOf(`POST ${ORCHESTRATION}/v2/workflows/${workflowID}/instances?wait=true`, {
    status: 201,
    data: Instance,
    body: {},
  });

describe("operation 7: GET /api/orchestration/v2/instances/{instanceID}/history", () => {
  test("the history of an instance answers an entry for each stage, with its input", async () => {
    const { id } = await run();
    const entries = await dataOf(`GET ${ORCHESTRATION}/v2/instances/${id}/history`, {
      status: 200,
      data: z.array(HistoryEntry),
    });
    expect(entries.map(({ name, terminated, error }) => ({ name, terminated, error }))).toEqual([
      { name: "RunSend", terminated: true, error: undefined },
      { name: "RunNoop", terminated: true, error: undefined },
    ]);
    expect(entries[0]?.input).toMatchObject({
      amount: { amount: 100, asset: "EUR/2" },
      source: { account: { id: "world", ledger } },
      destination: { account: { id: "users:1", ledger } },
      metadata: { reason: "test" },
    });
  });

  test("the history of an instance is refused for an instance that is not there", async () => {
    const path = `GET ${ORCHESTRATION}/v2/instances/${UNKNOWN}/history`;
    expect(await refusalOf(path)).toEqual([404, "NOT_FOUND"]);
  });
});

describe("operation 8: GET /api/orchestration/instances", () => {
  test("the list of instances answers all instances as a plain array", async () => {
    const { id, terminatedAt } = await run();
    const instances = await dataOf(`GET ${ORCHESTRATION}/instances`, {
      status: 200,
      data: z.array(Instance),
    });
    const instance = instances.find((item) => item.id === id);
    expect(instance).toMatchObject({ workflowID, terminated: true });
    expect(instance?.terminatedAt).toBe(terminatedAt);
    expect(Date.parse(terminatedAt ?? "")).toBeGreaterThanOrEqual(
      Date.parse(instance?.createdAt ?? ""),
    );
    expect(instance).not.toHaveProperty("error");
    expect(instances.filter((item) => item.id === id)).toHaveLength(1);
  });
});

describe("operation 17: POST /api/orchestration/triggers", () => {
  const event = "COMMITTED_TRANSACTIONS";
  const request = `POST ${ORCHESTRATION}/triggers`;

  test("the creation of a trigger needs an event and a workflow, and answers the trigger", async () => {
    const body = { event, workflowID };
    const trigger = await dataOf(request, { status: 201, data: Trigger, body });
    expect(trigger).toMatchObject(body);
  });

  test("the creation of a trigger takes a name, a version, a filter and variables", async () => {
    const body = {
      event,
      workflowID,
      name: freshName("trigger"),
      version: "v2",
      filter: 'event.ledger == "none"',
      vars: { id: "event.transactions[0].id" },
    };
    const trigger = await dataOf(request, { status: 201, data: Trigger, body });
    expect(trigger).toMatchObject(body);
  });

  test.each([
    ["no event", () => ({ workflowID }), [400, "VALIDATION"]],
    ["no workflow", () => ({ event }), [400, "VALIDATION"]],
    [
      "a filter that does not parse",
      () => ({ event, workflowID, filter: "a ==" }),
      [400, "VALIDATION"],
    ],
    ["an unknown workflow", () => ({ event, workflowID: UNKNOWN }), [404, "NOT_FOUND"]],
  ] as const)("the creation of a trigger is refused with %s", async (_name, body, refusal) => {
    expect(await refusalOf(request, body())).toEqual(refusal);
  });
});

test.each([
  `GET ${ORCHESTRATION}/v2/instances/${UNKNOWN}/history`,
  `GET ${ORCHESTRATION}/instances`,
  `POST ${ORCHESTRATION}/triggers`,
])("%s needs a token", async (request) => {
  const [method = "", path = ""] = request.split(" ");
  expect((await api(path, { method, token: null })).status).toBe(401);
});
