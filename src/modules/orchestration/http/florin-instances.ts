import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { toMomentView } from "./history-views.ts";
import { InstanceResponse, MomentResponse } from "./schemas.ts";
import { toInstanceView } from "./views.ts";
import { asClient } from "#modules/auth/index.ts";
import { MOMENTS_MAX, timeline } from "#modules/orchestration/instances/history.ts";
import { retryInstance } from "#modules/orchestration/instances/retry.ts";
import { carryOn } from "#modules/orchestration/run/carry-on.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { dataOf } from "#platform/http/schemas.ts";

const TAGS = ["Workflows"];
const Params = z.object({ instanceID: z.string() });

const After = z
  .string()
  .regex(/^\d{1,9}$/, "expected an unsigned integer")
  .default("0")
  .transform(Number)
  .openapi({
    type: "integer",
    minimum: 0,
    default: 0,
    description: "How many moments to leave out: those that were read before.",
  });
const TimelineResponse = dataOf(z.array(MomentResponse)).extend({ hasMore: z.boolean() });

export function registerFlorinInstances(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/instances/{instanceID}/retry",
      operationId: "florinRetryInstance",
      summary: "Let an instance that has failed go on",
      description:
        "The instance goes on from the stage that failed. Mend the cause of the failure first. Activities that have changed something are not repeated. The instance acts for the client or user that has started it, so that the caller needs the same scopes.",
      tags: TAGS,
      scope: "orchestration:write",
      params: Params,
      responses: { 200: json("The instance", dataOf(InstanceResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const acting = await asClient(c.var.context, deploymentOf(c).scopes);
      const { instance, isRetried } = await retryInstance(acting, params.instanceID);
      if (isRetried) c.executionCtx.waitUntil(carryOn(c.env, instance));
      return { status: 200, body: { data: toInstanceView(instance) } };
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/instances/{instanceID}/timeline",
      operationId: "florinReadInstanceTimeline",
      summary: "Show everything that has happened to an instance",
      description: `Stages, activities with their failed attempts, events and errors, in order, with links to the transactions, wallets and payments. An answer has at most ${MOMENTS_MAX} moments; \`hasMore\` says whether there are others, which \`after\` asks for.`,
      tags: TAGS,
      scope: "orchestration:read",
      params: Params,
      query: z.object({ after: After }),
      responses: { 200: json("The timeline", TimelineResponse), ...errors(404) },
    },
    async ({ params, query: { after }, c }) => {
      const { moments, hasMore } = await timeline(c.var.context, { id: params.instanceID, after });
      return { status: 200, body: { data: moments.map(toMomentView), hasMore } };
    },
  );
}
