import { z } from "@hono/zod-openapi";
import { toMomentView } from "./history-views.ts";
import { InstanceResponse, MomentResponse } from "./schemas.ts";
import { toInstanceView } from "./views.ts";
import { asClient } from "#modules/auth/index.ts";
import { COUNTED_INSTANCES_MAX, countInstances } from "#modules/orchestration/instances/count.ts";
import { MOMENTS_MAX, timeline } from "#modules/orchestration/instances/history.ts";
import { retryInstance } from "#modules/orchestration/instances/retry.ts";
import { carryOn } from "#modules/orchestration/run/carry-on.ts";
import { dataOf, deploymentOf, ok, operations, registration } from "#platform/http/index.ts";

const instances = operations({ path: "/instances", tags: ["Workflows"], scope: "orchestration" });
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

const StateCounts = z
  .object({
    running: z.int(),
    waiting: z.int().openapi({ description: "For a time or an event." }),
    stuck: z.int().openapi({ description: "An activity has failed and is tried again." }),
    failed: z.int(),
  })
  .openapi("WorkflowInstanceCounts");

export const registerFlorinInstances = registration(
  instances.get("/counts", {
    operationId: "florinCountInstances",
    summary: "Count the instances in each state",
    description: `Counted are those of the newest ${COUNTED_INSTANCES_MAX} in each state whose workflows are not deleted. Instances that have succeeded are not counted.`,
    query: z.object({
      workflowID: z.string().optional().openapi({ description: "Only those of this workflow." }),
    }),
    answer: ok.data("The counts", StateCounts),
    handle: ({ query, context }) => countInstances(context, query.workflowID),
  }),
  instances.post("/{instanceID}/retry", {
    operationId: "florinRetryInstance",
    summary: "Let an instance that has failed go on",
    description:
      "The instance goes on from the stage that failed. Mend the cause of the failure first. Activities that have changed something are not repeated. The instance acts for the client or user that has started it, so that the caller needs the same scopes.",
    params: Params,
    answer: ok.data("The instance", InstanceResponse, toInstanceView),
    errors: [404],
    handle: async ({ params, context, c }) => {
      const acting = await asClient(context, deploymentOf(c).scopes);
      const { instance, isRetried } = await retryInstance(acting, params.instanceID);
      if (isRetried) c.executionCtx.waitUntil(carryOn(c.env, instance));
      return instance;
    },
  }),
  instances.get("/{instanceID}/timeline", {
    operationId: "florinReadInstanceTimeline",
    summary: "Show everything that has happened to an instance",
    description: `Stages, activities with their failed attempts, events and errors, in order, with links to the transactions, wallets and payments. An answer has at most ${MOMENTS_MAX} moments; \`hasMore\` says whether there are others, which \`after\` asks for.`,
    params: Params,
    query: z.object({ after: After }),
    answer: ok.plain("The timeline", TimelineResponse),
    errors: [404],
    handle: async ({ params, query: { after }, context }) => {
      const { moments, hasMore } = await timeline(context, { id: params.instanceID, after });
      return { data: moments.map(toMomentView), hasMore };
    },
  }),
);
