import { z } from "@hono/zod-openapi";
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
import {
  deploymentOf,
  ok,
  operations,
  registration,
  type Registration,
} from "#platform/http/index.ts";
import { stringifyJson } from "#platform/json.ts";
import type { PageQuery } from "#platform/paging/query.ts";

const Params = z.object({ triggerID: z.string() });
const Filter = z.object({
  name: z
    .string()
    .optional()
    .openapi({ description: "A part of the name, in upper or lower case." }),
});

/** The filters of lists, as their cursors keep them. */
const whereOf = ({ name = "" }: z.output<typeof Filter>): { where?: string } =>
  name === "" ? {} : { where: stringifyJson({ $match: { name } }) };
const firedBy = (trigger: string): string => stringifyJson({ $match: { trigger } });

/** In the second generation, triggers have a heading of their own in the API document. */
const TAGS = ["Triggers"];

/** The operations that both generations have. */
function inGeneration({ prefix, idOf }: Generation, tags: readonly string[]): Registration {
  const triggers = operations({ path: `${prefix}/triggers`, tags, scope: "orchestration" });
  return registration(
    triggers.post("", {
      operationId: idOf("createTrigger"),
      summary: "Create a trigger",
      description:
        "A trigger starts an instance of the workflow once for each event that its filter lets through. The instances act for the client or user that creates the trigger, with the scopes that this client may ask tokens for. Events that these scopes do not allow to read start nothing.",
      body: TriggerRequest,
      answer: ok.created("The trigger", TriggerResponse, toTriggerView),
      errors: [404],
      handle: async ({ body: { workflowID, ...body }, context, c }) => {
        const acting = await asClient(context, deploymentOf(c).scopes);
        return createTrigger(acting, { ...body, workflowId: workflowID });
      },
    }),
    triggers.get("/{triggerID}", {
      operationId: idOf("readTrigger"),
      summary: "Read a trigger",
      params: Params,
      answer: ok.data("The trigger", TriggerResponse, toTriggerView),
      errors: [404],
      handle: ({ params, context }) => getTrigger(context, params.triggerID),
    }),
    triggers.delete("/{triggerID}", {
      operationId: idOf("deleteTrigger"),
      summary: "Delete a trigger",
      description:
        "A deleted trigger does not fire any more. Instances that it has started go on, and stay readable.",
      params: Params,
      answer: ok.empty("Deleted"),
      errors: [404],
      handle: ({ params, context }) => deleteTrigger(context, params.triggerID),
    }),
  );
}

const others = operations({ tags: TAGS, scope: "orchestration" });

export const registerTriggers = registration(
  inGeneration(V2, TAGS),
  inGeneration(V1, V1.tags),
  others.get("/v2/triggers", {
    operationId: "v2ListTriggers",
    summary: "List triggers",
    query: PageParams.extend(Filter.shape),
    answer: ok.page("A page of triggers", TriggerResponse, toTriggerView),
    handle: ({ query, context, c }) => {
      const page = toPage("triggers", { query, ...whereOf(query) }, deploymentOf(c).settings);
      return listTriggers(context, page);
    },
  }),
  others.get("/v2/triggers/{triggerID}/occurrences", {
    operationId: "v2ListTriggersOccurrences",
    summary: "List what a trigger has fired for",
    params: Params,
    query: PageParams,
    answer: ok.page("A page of occurrences", OccurrenceResponse, toOccurrenceView),
    errors: [404],
    handle: async ({ params, query, context, c }) => {
      await assertTriggerKnown(context, params.triggerID);
      const where = firedBy(params.triggerID);
      const page = toPage("occurrences", { query, where }, deploymentOf(c).settings);
      return listOccurrences(context, page);
    },
  }),
  others.get("/triggers", {
    operationId: "listTriggers",
    summary: "List all triggers",
    tags: V1.tags,
    query: Filter,
    answer: ok.longList("The triggers", TriggerResponse),
    handle: ({ query, context }) => {
      const read = (page: PageQuery) => listTriggers(context, page);
      return allInPages(read, toTriggerView, whereOf(query).where);
    },
  }),
  others.get("/triggers/{triggerID}/occurrences", {
    operationId: "listTriggersOccurrences",
    summary: "List all that a trigger has fired for",
    tags: V1.tags,
    params: Params,
    answer: ok.longList("The occurrences", OccurrenceResponse),
    errors: [404],
    handle: async ({ params: { triggerID }, context }) => {
      await assertTriggerKnown(context, triggerID);
      const read = (page: PageQuery) => listOccurrences(context, page);
      return allInPages(read, toOccurrenceView, firedBy(triggerID));
    },
  }),
  others.post("/v2/triggers/{triggerID}/test", {
    operationId: "testTrigger",
    summary: "Show what a trigger would do with a payload",
    description:
      "The filter and the variables are evaluated, and links are read with the scopes that this client may ask tokens for. Nothing is started.",
    work: "expression",
    params: Params,
    body: TriggerTestRequest,
    answer: ok.data("What it would do", TriggerTestResponse, toTriggerTestView),
    errors: [404],
    handle: async ({ params, body, context, c }) => {
      const acting = await asClient(context, deploymentOf(c).scopes);
      return testTrigger(acting, params.triggerID, body ?? null);
    },
  }),
);
