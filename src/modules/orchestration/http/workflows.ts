import { z } from "@hono/zod-openapi";
import { type Generation, V1, V2 } from "./generations.ts";
import { allInPages, PageParams, toPage } from "./lists.ts";
import { WorkflowRequest, WorkflowResponse } from "./schemas.ts";
import { toWorkflowView } from "./views.ts";
import { createWorkflow } from "#modules/orchestration/workflows/create.ts";
import { deleteWorkflow } from "#modules/orchestration/workflows/delete.ts";
import { getWorkflow } from "#modules/orchestration/workflows/get.ts";
import { listWorkflows } from "#modules/orchestration/workflows/list.ts";
import { CONFIG_BYTES_MAX, readYamlConfig } from "#modules/orchestration/workflows/read-config.ts";
import { AppError } from "#platform/errors.ts";
import {
  deploymentOf,
  ok,
  operations,
  registration,
  type Registration,
} from "#platform/http/index.ts";
import type { PageQuery } from "#platform/paging/query.ts";

const Params = z.object({ flowId: z.string() });
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The operations that both generations have. */
function inGeneration({ prefix, tags, idOf }: Generation): Registration {
  const workflows = operations({ path: `${prefix}/workflows`, tags, scope: "orchestration" });
  return registration(
    workflows.post("", {
      operationId: idOf("createWorkflow"),
      summary: "Create a workflow",
      description:
        "The body is JSON, or YAML with the content type `text/vnd.yaml`. A workflow never changes: another version is another workflow.",
      body: WorkflowRequest,
      otherBodies: { "text/vnd.yaml": readYamlConfig },
      bodyBytesMax: 2 * CONFIG_BYTES_MAX,
      answer: ok.created("The workflow", WorkflowResponse, toWorkflowView),
      handle: ({ body, context }) => createWorkflow(context, body),
    }),
    workflows.get("/{flowId}", {
      operationId: idOf("getWorkflow"),
      summary: "Read a workflow, also a deleted one",
      params: Params,
      answer: ok.data("The workflow", WorkflowResponse, toWorkflowView),
      errors: [404],
      handle: ({ params, context }) => getWorkflow(context, params.flowId),
    }),
    workflows.delete("/{flowId}", {
      operationId: idOf("deleteWorkflow"),
      summary: "Delete a workflow",
      description:
        "Lists leave out a deleted workflow and its instances. The instances go on, and triggers of the workflow still start new ones.",
      params: Params,
      answer: ok.empty("Deleted"),
      errors: [404],
      handle: async ({ params, context }) => {
        if (!UUID.test(params.flowId)) {
          throw new AppError("VALIDATION", `'${params.flowId.slice(0, 80)}' is not a UUID`);
        }
        await deleteWorkflow(context, params.flowId);
      },
    }),
  );
}

const lists = operations({ tags: V2.tags, scope: "orchestration" });

export const registerWorkflows = registration(
  inGeneration(V2),
  inGeneration(V1),
  lists.get("/v2/workflows", {
    operationId: "v2ListWorkflows",
    summary: "List workflows",
    query: PageParams,
    answer: ok.page("A page of workflows", WorkflowResponse, toWorkflowView),
    handle: ({ query, context, c }) => {
      const page = toPage("workflows", { query }, deploymentOf(c).settings);
      return listWorkflows(context, page);
    },
  }),
  lists.get("/workflows", {
    operationId: "listWorkflows",
    summary: "List all workflows",
    tags: V1.tags,
    answer: ok.longList("The workflows", WorkflowResponse),
    handle: ({ context }) => {
      const read = (page: PageQuery) => listWorkflows(context, page);
      return allInPages(read, toWorkflowView);
    },
  }),
);
