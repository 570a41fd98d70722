import { z } from "@hono/zod-openapi";
import { ClientParams } from "./schemas.ts";
import {
  type ClientQuota,
  readClientQuota,
  removeClientQuota,
  setClientQuota,
} from "#modules/auth/clients/client-quota.ts";
import {
  BURST_MAX,
  isRate,
  PER_SECOND_MAX,
  type Quota,
  type QuotaRate,
  standardBurst,
  STREAMS_MAX,
} from "#modules/auth/core/quota.ts";
import { ok, operations, registration } from "#platform/http/index.ts";

const quotas = operations({
  path: "/clients/{clientId}/quota",
  tags: ["OAuth clients"],
  scope: "auth",
  params: ClientParams,
});

const RateRequest = z
  .object({
    perSecond: z.int().min(1).max(PER_SECOND_MAX),
    burst: z.int().min(1).max(BURST_MAX).optional().openapi({
      description: "How many at once; by default what two seconds give. No smaller than the rate.",
    }),
  })
  .transform(({ perSecond, burst = standardBurst(perSecond) }): QuotaRate => ({ perSecond, burst }))
  .refine(isRate, "the burst is smaller than what one second gives");

const REQUESTS = "Requests with the client's tokens";
const WRITES = "Those requests that need another scope than one for reading";
const ELEMENTS = "Elements of bulks and batches, and entries of imported logs";
const STREAMS = "Event streams and streams of ledgers that are open at once";

const QuotaRequest = z
  .object({
    requests: RateRequest.nullish().openapi({ description: REQUESTS }),
    writes: RateRequest.nullish().openapi({ description: WRITES }),
    elements: RateRequest.nullish().openapi({ description: ELEMENTS }),
    streams: z.int().min(1).max(STREAMS_MAX).nullish().openapi({ description: STREAMS }),
  })
  .openapi("ClientQuotaRequest");

const RateView = z.object({
  perSecond: z.int(),
  burst: z.int(),
  left: z.int().openapi({ description: "How many could be made now" }),
});

const QuotaView = z
  .object({
    clientId: z.string(),
    source: z.enum(["own", "default", "none"]).openapi({
      description: "Whether the client has a quota of its own, that of the settings, or none",
    }),
    requests: RateView.optional().openapi({ description: REQUESTS }),
    writes: RateView.optional().openapi({ description: WRITES }),
    elements: RateView.optional().openapi({ description: ELEMENTS }),
    streams: z
      .object({ most: z.int(), open: z.int() })
      .optional()
      .openapi({ description: STREAMS }),
  })
  .openapi("ClientQuota");

function toView({ clientId, source, quota, usage }: ClientQuota): z.input<typeof QuotaView> {
  const rateOf = (kind: "requests" | "writes" | "elements") => {
    const rate = quota[kind];
    return rate === undefined ? {} : { [kind]: { ...rate, left: usage.left[kind] ?? 0 } };
  };
  return {
    clientId,
    source,
    ...rateOf("requests"),
    ...rateOf("writes"),
    ...rateOf("elements"),
    ...(quota.streams === undefined
      ? {}
      : { streams: { most: quota.streams, open: usage.openStreams } }),
  };
}

function toQuota({ requests, writes, elements, streams }: z.output<typeof QuotaRequest>): Quota {
  return {
    ...(requests ? { requests } : {}),
    ...(writes ? { writes } : {}),
    ...(elements ? { elements } : {}),
    ...(typeof streams === "number" ? { streams } : {}),
  };
}

/** Registers the operations of quotas of clients, below `/api/florin/v1`. */
export const registerClientQuotas = registration(
  quotas.get("", {
    operationId: "florinReadClientQuota",
    summary: "Read the quota of a client, and what is left of it",
    answer: ok.data("The quota", QuotaView, toView),
    errors: [404],
    handle: ({ params, context }) => readClientQuota(context, params.clientId),
  }),
  quotas.put("", {
    operationId: "florinSetClientQuota",
    summary: "Give a client a quota of its own",
    description:
      "It takes the place of the default quota of the settings. What the body does not name is not limited, so that an empty object lifts all limits. It counts in all isolates within 20 seconds. Only a client or a person who has all scopes, and is bound to no ledgers, may give it, to the first client and those that are built in, too; no client may change its own quota.",
    body: QuotaRequest,
    answer: ok.data("The quota", QuotaView, toView),
    errors: [404, 409],
    handle: ({ params, body, context }) => setClientQuota(context, params.clientId, toQuota(body)),
  }),
  quotas.delete("", {
    operationId: "florinDeleteClientQuota",
    summary: "Take the own quota of a client away, if it has one",
    description: "The default quota of the settings counts again, if there is one.",
    answer: ok.empty("The client has no quota of its own now"),
    errors: [404, 409],
    handle: ({ params, context }) => removeClientQuota(context, params.clientId),
  }),
);
