import { z } from "@hono/zod-openapi";
import type { Principal } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import {
  type RequestSender,
  FAILED_REQUEST_FILTERS,
  type FailedRequest,
  FailedRequestStore,
} from "#platform/failed-requests/store.ts";
import {
  Count,
  deploymentOf,
  ListParams,
  type ListRules,
  ok,
  operations,
  registration,
  TimestampOutput,
  TimestampParam,
  toPageQuery,
} from "#platform/http/index.ts";
import { parseJson } from "#platform/json.ts";
import { mapPage } from "#platform/paging/pagination.ts";
import { formatTimestamp } from "#platform/time.ts";

const Text = z.string().max(500).optional();

const FailedRequestsQuery = ListParams.extend({
  startTime: TimestampParam.openapi({ description: "Only requests at this date or later." }),
  endTime: TimestampParam.openapi({ description: "Only requests before this date." }),
  status: z
    .string()
    .regex(/^[45](?:\d\d|xx)$/, "expected a status such as 409, or 4xx or 5xx")
    .optional()
    .openapi({ description: "The status of the answer, or its class.", example: "4xx" }),
  code: Text.openapi({
    description: "The error code of the answer.",
    example: "INSUFFICIENT_FUND",
  }),
  method: Text.openapi({ description: "The method, in capitals.", example: "POST" }),
  route: Text.openapi({
    description: "The path of the operation, as this document shows it.",
    example: "/api/ledger/v2/{ledger}/transactions",
  }),
  operation: Text.openapi({
    description: "The `operationId` of the operation.",
    example: "v2CreateTransaction",
  }),
  clientId: Text.openapi({ description: "The client that sent the request." }),
  subject: Text.openapi({
    description: "The user for whom the request was sent, or the client itself.",
  }),
  requestId: Text.openapi({ description: "The `x-request-id` header of the answer." }),
});

const FailedRequestResponse = z
  .object({
    requestId: z.string().openapi({ description: "The `x-request-id` header of the answer" }),
    date: TimestampOutput.openapi({ description: "When the request came" }),
    method: z.string(),
    path: z.string().openapi({ description: "The path, without the query" }),
    route: z.string().openapi({ description: "The path of the operation in this document" }),
    operation: z.string().openapi({ description: "The `operationId` of the operation" }),
    status: z.int(),
    code: z.string().optional().openapi({ description: "The `errorCode` of the answer" }),
    message: z.string().optional().openapi({
      description:
        "The message of the answer, shortened, with `***` in place of texts of the request; absent if the request was too large to tell them apart",
    }),
    issuer: z.string().openapi({
      description: "The issuer of the token, which vouches for subject and client",
    }),
    subject: z.string(),
    clientId: z.string(),
    durationMs: Count.openapi({ description: "The time until the answer, in milliseconds" }),
    body: z.unknown().optional().openapi({
      description:
        "Fields of the body in the form of the body, shortened; each operation names those that may be shown. Absent if there are none.",
    }),
    more: Count.optional().openapi({
      description:
        "How many requests of the same client and user failed after this one and were only counted, at least; absent for none",
    }),
    moreOfOthers: Count.optional().openapi({
      description:
        "How many requests of other clients failed after this one and were only counted, at least; absent for none, and for tokens that are bound to ledgers",
    }),
  })
  .openapi("FailedRequest", {
    example: {
      requestId: "8c1f6f6e-6f0a-4d3e-9a53-0d4f6a9a6f11",
      date: "2026-03-01T09:30:00.25Z",
      method: "POST",
      path: "/api/ledger/v2/shop/transactions",
      route: "/api/ledger/v2/{ledger}/transactions",
      operation: "v2CreateTransaction",
      status: 409,
      code: "CONFLICT",
      message: "the reference topup-7 is taken",
      issuer: "https://florin.example.com/api/auth",
      subject: "billing",
      clientId: "billing",
      durationMs: 12,
      body: {
        reference: "topup-7",
        postings: [{ source: "world", destination: "users:42", amount: 1500, asset: "EUR/2" }],
      },
      more: 3,
    },
  });

const LIST_RULES: ListRules = {
  list: "failed-requests",
  columns: { date: "date" },
  column: "date",
  order: "desc",
  options: FAILED_REQUEST_FILTERS,
};

/** The sender whose requests a principal sees; undefined for a principal that is bound to no ledgers and sees all. */
const visibleTo = ({ issuer, clientId, subject, ledgers }: Principal): RequestSender | undefined =>
  ledgers.length === 0 ? undefined : { issuer, clientId, subject };

const viewFor =
  (sender: RequestSender | undefined) =>
  (request: FailedRequest): z.input<typeof FailedRequestResponse> => {
    const { date, code, message, body, more, moreOfOthers, id: _id, ...facts } = request;
    return {
      ...facts,
      date: formatTimestamp(date),
      ...(code === "" ? {} : { code }),
      ...(message === null ? {} : { message }),
      ...(body === null ? {} : { body: parseJson(body) }),
      ...(more === 0 ? {} : { more }),
      ...(moreOfOthers === 0 || sender !== undefined ? {} : { moreOfOthers }),
    };
  };

const failed = operations({
  path: "/requests/failed",
  tags: ["Failed requests"],
  scope: "florin",
});
/** The scope of both operations. */
const OPERATE = { scope: "florin:operate" } as const;

/** Registers the reads of failed requests, below `/api/florin/v1/requests/failed`. */
export const registerFailedRequests = registration(
  failed.get("", {
    ...OPERATE,
    operationId: "florinListFailedRequests",
    summary: "List the requests that failed",
    description:
      "Requests with a valid token whose answer had a status of 400 or more, newest first. They appear within about two seconds. Of a client that fails all the time, some are listed and the others are counted. A token that is bound to ledgers sees its own requests.",
    query: FailedRequestsQuery,
    answer: ok.page("A page of requests", FailedRequestResponse),
    handle: async ({ query, context, c }) => {
      const { cursor, pageSize, sort, ...given } = query;
      const defined = Object.entries(given).filter(([, value]) => value !== undefined);
      const options = { ...FAILED_REQUEST_FILTERS, ...Object.fromEntries(defined) };
      const list = { cursor, pageSize, sort, options };
      const wanted = toPageQuery(list, LIST_RULES, deploymentOf(c).settings);
      const sender = visibleTo(context.principal);
      const page = await FailedRequestStore.from(context.env).list(wanted, sender);
      return mapPage(page, viewFor(sender));
    },
  }),
  failed.get("/{requestID}", {
    ...OPERATE,
    operationId: "florinReadFailedRequest",
    summary: "Read a request that failed",
    params: z.object({ requestID: z.string().max(500) }),
    answer: ok.data("The request", FailedRequestResponse),
    errors: [404],
    handle: async ({ params, context }) => {
      const sender = visibleTo(context.principal);
      const found = await FailedRequestStore.from(context.env).find(params.requestID, sender);
      if (found !== undefined) return viewFor(sender)(found);
      throw new AppError("NOT_FOUND", "there is no failed request with this id");
    },
  }),
);
