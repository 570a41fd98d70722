import { type OpenAPIHono, z } from "@hono/zod-openapi";
import {
  InitiationAdjustmentResponse,
  InitiationRequest,
  InitiationResponse,
  toAdjustmentView,
  toInitiationView,
} from "./initiation-schemas.ts";
import { encodeOwnedId } from "#modules/payments/core/ids.ts";
import { toNewInitiation } from "#modules/payments/http/initiation-requests.ts";
import { FilterBody, ListQuery, toListQuery } from "#modules/payments/http/lists.ts";
import { ownedIdParam } from "#modules/payments/http/path-ids.ts";
import { createInitiation } from "#modules/payments/initiations/create.ts";
import { deleteInitiation } from "#modules/payments/initiations/delete.ts";
import { listInitiationAdjustments } from "#modules/payments/initiations/list-adjustments.ts";
import { listInitiations } from "#modules/payments/initiations/list.ts";
import { rejectInitiation } from "#modules/payments/initiations/reject.ts";
import { getInitiation } from "#modules/payments/initiations/store.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf, toCursorView } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const TAGS = ["Payment initiations"];
const Params = z.object({ paymentInitiationID: ownedIdParam("payment initiation") });
const PATH = "/v3/payment-initiations";

export function registerInitiations(app: OpenAPIHono<AppEnv>): void {
  registerCreation(app);
  registerList(app);
  registerOne(app);
  registerRejection(app);
  registerAdjustments(app);
}

function registerCreation(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: PATH,
      operationId: "v3InitiatePayment",
      summary: "Create a payment initiation",
      description: "It waits for an approval before any money moves.",
      tags: TAGS,
      scope: "payments:write",
      unsupportedQuery: ["noValidation"],
      body: InitiationRequest,
      responses: {
        202: json(
          "Its id",
          dataOf(z.object({ paymentInitiationID: z.string(), taskID: z.string() })),
        ),
      },
    },
    async ({ body, c }) => {
      const { context } = c.var;
      const { id } = await createInitiation(context, toNewInitiation(body, context.clock()));
      const data = { paymentInitiationID: encodeOwnedId(id), taskID: "" };
      return { status: 202, body: { data } };
    },
  );
}

function registerList(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: PATH,
      operationId: "v3ListPaymentInitiations",
      summary: "List payment initiations",
      description:
        "Filters: `id`, `reference`, `connector_id`, `type`, `asset`, `source_account_id`, `destination_account_id`, `status`, `amount`, `metadata[key]`.",
      tags: TAGS,
      scope: "payments:read",
      query: ListQuery,
      body: FilterBody,
      responses: { 200: json("A page of initiations", cursorOf(InitiationResponse)) },
    },
    async ({ query, body, c }) => {
      const wanted = toListQuery("payment-initiations", { query, body, settings: c.var.settings });
      const page = await listInitiations(c.var.context, wanted);
      return { status: 200, body: toCursorView(mapPage(page, toInitiationView)) };
    },
  );
}

function registerOne(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: `${PATH}/{paymentInitiationID}`,
      operationId: "v3GetPaymentInitiation",
      summary: "Read a payment initiation",
      tags: TAGS,
      scope: "payments:read",
      params: Params,
      responses: { 200: json("The initiation", dataOf(InitiationResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const initiation = await getInitiation(c.var.context, params.paymentInitiationID);
      return { status: 200, body: { data: toInitiationView(initiation) } };
    },
  );
  endpoint(
    app,
    {
      method: "delete",
      path: `${PATH}/{paymentInitiationID}`,
      operationId: "v3DeletePaymentInitiation",
      summary: "Delete a payment initiation that waits for its approval",
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      responses: { 204: empty("Deleted"), ...errors(404) },
    },
    async ({ params, c }) => {
      await deleteInitiation(c.var.context, params.paymentInitiationID);
      return { status: 204 };
    },
  );
}

function registerRejection(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: `${PATH}/{paymentInitiationID}/reject`,
      operationId: "v3RejectPaymentInitiation",
      summary: "Reject a payment initiation that waits for its approval",
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      responses: { 204: empty("Rejected"), ...errors(404) },
    },
    async ({ params, c }) => {
      await rejectInitiation(c.var.context, params.paymentInitiationID);
      return { status: 204 };
    },
  );
}

function registerAdjustments(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: `${PATH}/{paymentInitiationID}/adjustments`,
      operationId: "v3ListPaymentInitiationAdjustments",
      summary: "List the adjustments of a payment initiation, newest first",
      description: "Filters: `status`, `metadata[key]`.",
      tags: TAGS,
      scope: "payments:read",
      params: Params,
      query: ListQuery,
      body: FilterBody,
      responses: {
        200: json("A page of adjustments", cursorOf(InitiationAdjustmentResponse)),
        ...errors(404),
      },
    },
    async ({ params, query, body, c }) => {
      const { context, settings } = c.var;
      const initiation = await getInitiation(context, params.paymentInitiationID);
      const wanted = toListQuery("payment-initiation-adjustments", { query, body, settings });
      const page = await listInitiationAdjustments(context, initiation, wanted);
      return {
        status: 200,
        body: toCursorView(mapPage(page, (adjustment) => toAdjustmentView(initiation, adjustment))),
      };
    },
  );
}
