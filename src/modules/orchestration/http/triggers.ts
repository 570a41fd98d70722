import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { type Generation, V1, V2 } from "./generations.ts";
import { allInPages, PageParams, toPage } from "./lists.ts";
import {
  OccurrenceResponse,
  toOccurrenceView,
  toTriggerTestView,
  toTriggerView,
  TriggerRequest,
  TriggerResponse,
  TriggerTestRequest,
  TriggerTestResponse,
} from "./trigger-schemas.ts";
import { asClient } from "#modules/auth/index.ts";
import { createTrigger } from "#modules/orchestration/triggers/create.ts";
import { deleteTrigger } from "#modules/orchestration/triggers/delete.ts";
import {
  assertTriggerKnown,
  listOccurrences,
} from "#modules/orchestration/triggers/list-occurrences.ts";
import { listTriggers } from "#modules/orchestration/triggers/list.ts";
import { getTrigger } from "#modules/orchestration/triggers/store.ts";
import { testTrigger } from "#modules/orchestration/triggers/test.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { empty, endpoint, errors, json, longList } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf, toCursorView } from "#platform/http/schemas.ts";
import { stringifyJson } from "#platform/json.ts";
import { mapPage } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";

const Params = z.object({ triggerID: z.string() });
const Filter = z.object({
  name: z
    .string()
    .optional()
    .openapi({ description: "A part of the name, in upper or lower case." }),
});
const OF_TRIGGER = "/triggers/{triggerID}";
/** In the second generation, triggers have a heading of their own in the API document. */
const tagsOf = ({ tags }: Generation): readonly string[] =>
  tags === V2.tags ? ["Triggers"] : tags;

export function registerTriggers(app: OpenAPIHono<AppEnv>): void {
  for (const generation of [V2, V1]) {
    registerCreation(app, generation);
    registerOne(app, generation);
    registerDeletion(app, generation);
  }
  registerPagedLists(app);
  registerWholeLists(app);
  registerTest(app);
}

function registerCreation(app: OpenAPIHono<AppEnv>, generation: Generation): void {
  const { prefix, idOf } = generation;
  endpoint(
    app,
    {
      method: "post",
      path: `${prefix}/triggers`,
      operationId: idOf("createTrigger"),
      summary: "Create a trigger",
      description:
        "A trigger starts an instance of the workflow once for each event that its filter lets through. The instances act for the client or user that creates the trigger, with the scopes that this client may ask tokens for. Events that these scopes do not allow to read start nothing.",
      tags: tagsOf(generation),
      scope: "orchestration:write",
      body: TriggerRequest,
      responses: { 201: json("The trigger", dataOf(TriggerResponse)), ...errors(404) },
    },
    async ({ body: { workflowID, ...body }, c }) => {
      const acting = await asClient(c.get("context"), deploymentOf(c).scopes);
      const trigger = await createTrigger(acting, { ...body, workflowId: workflowID });
      return { status: 201, body: { data: toTriggerView(trigger) } };
    },
  );
}

function registerOne(app: OpenAPIHono<AppEnv>, generation: Generation): void {
  const { prefix, idOf } = generation;
  endpoint(
    app,
    {
      method: "get",
      path: `${prefix}${OF_TRIGGER}`,
      operationId: idOf("readTrigger"),
      summary: "Read a trigger",
      tags: tagsOf(generation),
      scope: "orchestration:read",
      params: Params,
      responses: { 200: json("The trigger", dataOf(TriggerResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const trigger = await getTrigger(c.var.context, params.triggerID);
      return { status: 200, body: { data: toTriggerView(trigger) } };
    },
  );
}

function registerDeletion(app: OpenAPIHono<AppEnv>, generation: Generation): void {
  const { prefix, idOf } = generation;
  endpoint(
    app,
    {
      method: "delete",
      path: `${prefix}${OF_TRIGGER}`,
      operationId: idOf("deleteTrigger"),
      summary: "Delete a trigger",
      description:
        "A deleted trigger does not fire any more. Instances that it has started go on, and stay readable.",
      tags: tagsOf(generation),
      scope: "orchestration:write",
      params: Params,
      responses: { 204: empty("Deleted"), ...errors(404) },
    },
    async ({ params, c }) => {
      await deleteTrigger(c.var.context, params.triggerID);
      return { status: 204 };
    },
  );
}

function registerPagedLists(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v2/triggers",
      operationId: "v2ListTriggers",
      summary: "List triggers",
      tags: tagsOf(V2),
      scope: "orchestration:read",
      query: PageParams.extend(Filter.shape),
      responses: { 200: json("A page of triggers", cursorOf(TriggerResponse)) },
    },
    async ({ query, c }) => {
      const page = toPage("triggers", { query, ...whereOf(query) }, deploymentOf(c).settings);
      const found = await listTriggers(c.var.context, page);
      return { status: 200, body: toCursorView(mapPage(found, toTriggerView)) };
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: `/v2${OF_TRIGGER}/occurrences`,
      operationId: "v2ListTriggersOccurrences",
      summary: "List what a trigger has fired for",
      tags: tagsOf(V2),
      scope: "orchestration:read",
      params: Params,
      query: PageParams,
      responses: {
        200: json("A page of occurrences", cursorOf(OccurrenceResponse)),
        ...errors(404),
      },
    },
    async ({ params, query, c }) => {
      await assertTriggerKnown(c.var.context, params.triggerID);
      const where = firedBy(params.triggerID);
      const page = toPage("occurrences", { query, where }, deploymentOf(c).settings);
      const found = await listOccurrences(c.var.context, page);
      return { status: 200, body: toCursorView(mapPage(found, toOccurrenceView)) };
    },
  );
}

/** The filters of lists, as their cursors keep them. */
const whereOf = ({ name = "" }: z.output<typeof Filter>): { where?: string } =>
  name === "" ? {} : { where: stringifyJson({ $match: { name } }) };
const firedBy = (trigger: string): string => stringifyJson({ $match: { trigger } });

function registerWholeLists(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/triggers",
      operationId: "listTriggers",
      summary: "List all triggers",
      tags: V1.tags,
      scope: "orchestration:read",
      query: Filter,
      responses: { 200: longList("The triggers", dataOf(z.array(TriggerResponse))) },
    },
    ({ query, c }) => {
      const read = (page: PageQuery) => listTriggers(c.var.context, page);
      return { status: 200, pages: allInPages(read, toTriggerView, whereOf(query).where) };
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: `${OF_TRIGGER}/occurrences`,
      operationId: "listTriggersOccurrences",
      summary: "List all that a trigger has fired for",
      tags: V1.tags,
      scope: "orchestration:read",
      params: Params,
      responses: {
        200: longList("The occurrences", dataOf(z.array(OccurrenceResponse))),
        ...errors(404),
      },
    },
    async ({ params: { triggerID }, c }) => {
      await assertTriggerKnown(c.var.context, triggerID);
      const read = (page: PageQuery) => listOccurrences(c.var.context, page);
      return { status: 200, pages: allInPages(read, toOccurrenceView, firedBy(triggerID)) };
    },
  );
}

function registerTest(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: `/v2${OF_TRIGGER}/test`,
      operationId: "testTrigger",
      summary: "Show what a trigger would do with a payload",
      description:
        "The filter and the variables are evaluated, and links are read with the scopes that this client may ask tokens for. Nothing is started.",
      tags: tagsOf(V2),
      scope: "orchestration:write",
      work: "expression",
      params: Params,
      body: TriggerTestRequest,
      responses: { 200: json("What it would do", dataOf(TriggerTestResponse)), ...errors(404) },
    },
    async ({ params, body, c }) => {
      const acting = await asClient(c.get("context"), deploymentOf(c).scopes);
      const test = await testTrigger(acting, params.triggerID, body ?? null);
      return { status: 200, body: { data: toTriggerTestView(test) } };
    },
  );
}
