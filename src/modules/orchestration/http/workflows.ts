import { type OpenAPIHono, z } from "@hono/zod-openapi";
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
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { empty, endpoint, errors, json, longList } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf, toCursorView } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";

const Params = z.object({ flowId: z.string() });
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function registerWorkflows(app: OpenAPIHono<AppEnv>): void {
  for (const generation of [V2, V1]) {
    registerCreation(app, generation);
    registerOne(app, generation);
    registerDeletion(app, generation);
  }
  registerPagedList(app);
  registerWholeList(app);
}

function registerCreation(app: OpenAPIHono<AppEnv>, { prefix, tags, idOf }: Generation): void {
  endpoint(
    app,
    {
      method: "post",
      path: `${prefix}/workflows`,
      operationId: idOf("createWorkflow"),
      summary: "Create a workflow",
      description:
        "The body is JSON, or YAML with the content type `text/vnd.yaml`. A workflow never changes: another version is another workflow.",
      tags,
      scope: "orchestration:write",
      body: WorkflowRequest,
      otherBodies: { "text/vnd.yaml": readYamlConfig },
      bodyBytesMax: 2 * CONFIG_BYTES_MAX,
      responses: { 201: json("The workflow", dataOf(WorkflowResponse)) },
    },
    async ({ body, c }) => {
      const workflow = await createWorkflow(c.var.context, body);
      return { status: 201, body: { data: toWorkflowView(workflow) } };
    },
  );
}

function registerOne(app: OpenAPIHono<AppEnv>, { prefix, tags, idOf }: Generation): void {
  endpoint(
    app,
    {
      method: "get",
      path: `${prefix}/workflows/{flowId}`,
      operationId: idOf("getWorkflow"),
      summary: "Read a workflow, also a deleted one",
      tags,
      scope: "orchestration:read",
      params: Params,
      responses: { 200: json("The workflow", dataOf(WorkflowResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const workflow = await getWorkflow(c.var.context, params.flowId);
      return { status: 200, body: { data: toWorkflowView(workflow) } };
    },
  );
}

function registerDeletion(app: OpenAPIHono<AppEnv>, { prefix, tags, idOf }: Generation): void {
  endpoint(
    app,
    {
      method: "delete",
      path: `${prefix}/workflows/{flowId}`,
      operationId: idOf("deleteWorkflow"),
      summary: "Delete a workflow",
      description:
        "Lists leave out a deleted workflow and its instances. The instances go on, and triggers of the workflow still start new ones.",
      tags,
      scope: "orchestration:write",
      params: Params,
      responses: { 204: empty("Deleted"), ...errors(404) },
    },
    async ({ params, c }) => {
      if (!UUID.test(params.flowId)) {
        throw new AppError("VALIDATION", `'${params.flowId.slice(0, 80)}' is not a UUID`);
      }
      await deleteWorkflow(c.var.context, params.flowId);
      return { status: 204 };
    },
  );
}

function registerPagedList(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v2/workflows",
      operationId: "v2ListWorkflows",
      summary: "List workflows",
      tags: V2.tags,
      scope: "orchestration:read",
      query: PageParams,
      responses: { 200: json("A page of workflows", cursorOf(WorkflowResponse)) },
    },
    async ({ query, c }) => {
      const page = toPage("workflows", { query }, deploymentOf(c).settings);
      const found = await listWorkflows(c.var.context, page);
      return { status: 200, body: toCursorView(mapPage(found, toWorkflowView)) };
    },
  );
}

function registerWholeList(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/workflows",
      operationId: "listWorkflows",
      summary: "List all workflows",
      tags: V1.tags,
      scope: "orchestration:read",
      responses: { 200: longList("The workflows", dataOf(z.array(WorkflowResponse))) },
    },
    ({ c }) => {
      const read = (page: PageQuery) => listWorkflows(c.var.context, page);
      return { status: 200, pages: allInPages(read, toWorkflowView) };
    },
  );
}
