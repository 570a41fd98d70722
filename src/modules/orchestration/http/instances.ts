import { type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { type Generation, V1, V2 } from "./generations.ts";
import { toActivityView, toStageHistoryView } from "./history-views.ts";
import { allInPages, PageParams, toPage } from "./lists.ts";
import {
  ActivityHistoryResponse,
  EventRequest,
  InstanceResponse,
  StageHistoryResponse,
  VariablesRequest,
} from "./schemas.ts";
import { toBareInstanceView, toInstanceView, toInstanceWithStatusView } from "./views.ts";
import { asClient } from "#modules/auth/index.ts";
import type { Variables } from "#modules/orchestration/core/variables.ts";
import { abortInstance } from "#modules/orchestration/instances/abort.ts";
import { instanceHistory, stageHistory } from "#modules/orchestration/instances/history.ts";
import { listInstances } from "#modules/orchestration/instances/list.ts";
import { startInstance } from "#modules/orchestration/instances/start.ts";
import { INSTANCE_STATES } from "#modules/orchestration/instances/state.ts";
import { getInstance, stagesOf } from "#modules/orchestration/instances/store.ts";
import { carryOn } from "#modules/orchestration/run/carry-on.ts";
import { sendEvent } from "#modules/orchestration/run/send-event.ts";
import { waitForEnd } from "#modules/orchestration/run/wait.ts";
import { AppError } from "#platform/errors.ts";
import { inBudget } from "#platform/http/access.ts";
import {
  type AppEnv,
  BooleanParam,
  dataOf,
  deploymentOf,
  endpoint,
  errors,
  json,
  ok,
  operations,
  registration,
  type Registration,
} from "#platform/http/index.ts";
import { stringifyJson } from "#platform/json.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { takeTurns } from "#platform/work/turns.ts";

const Params = z.object({ instanceID: z.string() });
/** Longest idempotency key of a client, in characters. */
const KEY_LENGTH_MAX = 255;
const StageParams = Params.extend({ number: z.string() });
const Filter = z.object({
  workflowID: z.string().optional(),
  running: BooleanParam.openapi({ description: "Only instances that have not ended." }),
  status: z.enum(INSTANCE_STATES).optional().openapi({
    description:
      "Only instances that go on (`running`), wait for a time or an event (`waiting`), have an activity that has failed and is tried again (`stuck`), or have ended (`succeeded`, `failed`).",
  }),
});
const StartHeaders = z.object({
  "Idempotency-Key": z.string().optional().openapi({
    maxLength: KEY_LENGTH_MAX,
    description:
      "A name of your own for this start. A second request of the same client with the same key starts nothing and gets the instance as it is by then, with the header `Idempotency-Hit: true`, as long as the instance is kept. The same key with another workflow or other variables is refused with 400.",
  }),
});

function registerStart(app: OpenAPIHono<AppEnv>, { prefix, tags, idOf }: Generation): void {
  endpoint(
    app,
    {
      method: "post",
      path: `${prefix}/workflows/{workflowID}/instances`,
      operationId: idOf("runWorkflow"),
      summary: "Start an instance of a workflow",
      description:
        "The body has the variables, texts by name. The instance acts for whoever starts it, with the scopes that this client may ask tokens for. With `wait=true`, the answer comes at the end of the instance, or after fifty seconds.",
      tags,
      scope: "orchestration:write",
      work: (c) => (BooleanParam.parse(c.req.query("wait")) ? "waiting" : "start"),
      params: z.object({ workflowID: z.string() }),
      query: z.object({ wait: BooleanParam }),
      headers: StartHeaders,
      body: VariablesRequest,
      responses: { 201: json("The instance", dataOf(InstanceResponse)), ...errors(404, 429) },
    },
    async ({ params, query, headers, body: variables, c }) => {
      const start = { workflowId: params.workflowID, variables, key: headers["Idempotency-Key"] };
      if (query.wait) return { status: 201, ...(await runToEnd(c, start)) };
      const { started, headers: replayed } = await run(c, start);
      return { status: 201, headers: replayed, body: { data: toBareInstanceView(started) } };
    },
  );
}

interface Start {
  readonly workflowId: string;
  readonly variables: Variables;
  readonly key: string | undefined;
}

/** Starts an instance, and executes it while the request is answered. */
async function run(c: Context<AppEnv>, { key, ...start }: Start) {
  const acting = await asClient(c.get("context"), deploymentOf(c).scopes);
  await takeTurns();
  const { instance, isNew } = await startInstance(acting, { ...start, ...keyOf(key) });
  const isToDo = isNew && instance.terminatedAt === undefined;
  const work = isToDo ? carryOn(c.env, instance) : Promise.resolve();
  c.executionCtx.waitUntil(work);
  const headers: Record<string, string> = isNew ? {} : { "idempotency-hit": "true" };
  return { started: instance, work, headers };
}

/**
 * Starts an instance, and answers with the instance at its end, or as it is when the time to wait is over. The request counts as one that
 * waits, and its start counts as a start.
 */
async function runToEnd(c: Context<AppEnv>, start: Start) {
  const context = c.get("context");
  const { started, work, headers } = await inBudget(c, "start", () => run(c, start));
  await work;
  const ended = await waitForEnd(context, started.id);
  const stages = await stagesOf(context, ended);
  return { headers, body: { data: toInstanceWithStatusView(ended, stages) } };
}

/** Gives keys of clients a prefix of their own, because starts by occurrences of triggers have idempotency keys, too. */
function keyOf(key = ""): { idempotencyKey?: string } {
  if (key.length > KEY_LENGTH_MAX) {
    throw new AppError(
      "VALIDATION",
      `the idempotency key is longer than ${KEY_LENGTH_MAX} characters`,
    );
  }
  return key === "" ? {} : { idempotencyKey: `client/${key}` };
}

/** The filter of a list, as its cursors keep it. */
function whereOf({ workflowID, running, status }: z.output<typeof Filter>): { where?: string } {
  const conditions = [
    ...(workflowID === undefined ? [] : [{ $match: { workflow: workflowID } }]),
    ...(running ? [{ $match: { running: "true" } }] : []),
    ...(status === undefined ? [] : [{ $match: { state: status } }]),
  ];
  return conditions.length === 0 ? {} : { where: stringifyJson({ $and: conditions }) };
}

function instanceOperations({ prefix, tags, idOf }: Generation): Registration {
  const instances = operations({ path: `${prefix}/instances`, tags, scope: "orchestration" });
  return registration(
    instances.get("/{instanceID}", {
      operationId: idOf("getInstance"),
      summary: "Read an instance with the stages that it has come to",
      params: Params,
      answer: ok.data("The instance", InstanceResponse),
      errors: [404],
      handle: async ({ params, context }) => {
        const instance = await getInstance(context, params.instanceID);
        const stages = await stagesOf(context, instance);
        return toInstanceWithStatusView(instance, stages);
      },
    }),
    instances.post("/{instanceID}/events", {
      operationId: idOf("sendEvent"),
      summary: "Send an event to an instance",
      description:
        "The event is for the stage that the instance is at. A stage that waits for an event of another name, or for none, ignores it.",
      params: Params,
      body: EventRequest,
      answer: ok.empty("Accepted"),
      errors: [404],
      handle: ({ params, body, context }) => sendEvent(context, params.instanceID, body.name ?? ""),
    }),
    instances.put("/{instanceID}/abort", {
      operationId: idOf("cancelEvent"),
      summary: "Abort an instance",
      description:
        "The instance ends before its next activity with the error `canceled`; effects of earlier activities stay. An instance that has ended stays as it is.",
      params: Params,
      answer: ok.empty("It has ended"),
      errors: [404],
      handle: ({ params, context }) => abortInstance(context, params.instanceID),
    }),
  );
}

function historyOperations(generation: Generation): Registration {
  const { prefix, tags, idOf } = generation;
  const instances = operations({ path: `${prefix}/instances`, tags, scope: "orchestration" });
  return registration(
    instances.get("/{instanceID}/history", {
      operationId: idOf("getInstanceHistory"),
      summary: "Show the stages of an instance that were executed",
      params: Params,
      answer: ok.list("The stages", StageHistoryResponse, toStageHistoryView),
      errors: [404],
      handle: ({ params, context }) => instanceHistory(context, params.instanceID),
    }),
    instances.get("/{instanceID}/stages/{number}/history", {
      operationId: idOf("getInstanceStageHistory"),
      summary: "Show what a stage of an instance has asked other modules for",
      params: StageParams,
      answer: ok.list("The activities", ActivityHistoryResponse),
      errors: [404],
      handle: async ({ params: { instanceID, number }, context }) => {
        if (!/^\d{1,9}$/.test(number)) throw new AppError("NOT_FOUND", "there is no such stage");
        const at = { id: instanceID, number: Number(number) };
        const activities = await stageHistory(context, at);
        return activities.map((activity) => toActivityView(activity, generation === V1));
      },
    }),
  );
}

/** The operations that both generations have. */
const inGeneration = (generation: Generation): Registration =>
  registration(
    (app) => registerStart(app, generation),
    instanceOperations(generation),
    historyOperations(generation),
  );

const lists = operations({ tags: V2.tags, scope: "orchestration" });

export const registerInstances = registration(
  inGeneration(V2),
  inGeneration(V1),
  lists.get("/v2/instances", {
    operationId: "v2ListInstances",
    summary: "List instances",
    query: PageParams.extend(Filter.shape),
    answer: ok.page("A page of instances", InstanceResponse, toInstanceView),
    handle: ({ query, context, c }) => {
      const page = toPage("instances", { query, ...whereOf(query) }, deploymentOf(c).settings);
      return listInstances(context, page);
    },
  }),
  lists.get("/instances", {
    operationId: "listInstances",
    summary: "List all instances",
    tags: V1.tags,
    query: Filter,
    answer: ok.longList("The instances", InstanceResponse),
    handle: ({ query, context }) => {
      const read = (page: PageQuery) => listInstances(context, page);
      return allInPages(read, toInstanceView, whereOf(query).where);
    },
  }),
);
