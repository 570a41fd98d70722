import { type OpenAPIHono, z } from "@hono/zod-openapi";
import {
  InitiationAdjustmentResponse,
  InitiationRequest,
  InitiationResponse,
  toAdjustmentView,
  toInitiationView,
} from "./initiation-schemas.ts";
import { PaymentResponse, toFullPaymentView } from "./payment-schemas.ts";
import { encodeOwnedId } from "#modules/payments/core/ids.ts";
import { toNewInitiation } from "#modules/payments/http/initiation-requests.ts";
import { FilterBody, LIST, listing, ListQuery, toListQuery } from "#modules/payments/http/lists.ts";
import { ownedIdParam } from "#modules/payments/http/path-ids.ts";
import { createInitiation } from "#modules/payments/initiations/create.ts";
import { deleteInitiation } from "#modules/payments/initiations/delete.ts";
import { listInitiationAdjustments } from "#modules/payments/initiations/list-adjustments.ts";
import { getInitiation } from "#modules/payments/initiations/store.ts";
import { listShownInitiations, readInitiation } from "#modules/payments/movements/progress.ts";
import { wakeMovements } from "#modules/payments/movements/wake.ts";
import { listInitiationPayments } from "#modules/payments/payments/list-of-initiation.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf, toCursorView } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const TAGS = ["Payment initiations"];
const Params = z.object({ paymentInitiationID: ownedIdParam("payment initiation") });
const PATH = "/v3/payment-initiations";

/** Only the text `true` sends money without an approval; other spellings do not. */
const NoValidation = z
  .string()
  .optional()
  .transform((text) => text === "true")
  .openapi({ type: "boolean" });

export function registerInitiations(app: OpenAPIHono<AppEnv>): void {
  registerCreation(app);
  registerList(app);
  registerOne(app);
  registerAdjustments(app);
  registerPayments(app);
}

function registerCreation(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: PATH,
      operationId: "v3InitiatePayment",
      summary: "Create a payment initiation",
      description:
        "It waits for an approval before any money moves. With `noValidation=true`, it is sent at once, or at its time.",
      tags: TAGS,
      scope: "payments:write",
      query: z.object({ noValidation: NoValidation }),
      body: InitiationRequest,
      responses: {
        202: json(
          "Its id",
          dataOf(z.object({ paymentInitiationID: z.string(), taskID: z.string() })),
        ),
      },
    },
    async ({ query, body, c }) => {
      const { context } = c.var;
      const { id, task } = await createInitiation(context, {
        ...toNewInitiation(body, context.clock()),
        isSent: query.noValidation,
      });
      if (task !== undefined) c.executionCtx.waitUntil(wakeMovements(context, id.connector));
      const taskID = task === undefined ? "" : encodeOwnedId(task);
      return { status: 202, body: { data: { paymentInitiationID: encodeOwnedId(id), taskID } } };
    },
  );
}

function registerList(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      ...LIST,
      path: PATH,
      operationId: "v3ListPaymentInitiations",
      summary: "List payment initiations",
      description:
        "Filters: `id`, `reference`, `connector_id`, `type`, `asset`, `source_account_id`, `destination_account_id`, `status`, `amount`, `metadata[key]`.",
      tags: TAGS,
      responses: { 200: json("A page of initiations", cursorOf(InitiationResponse)) },
    },
    listing("payment-initiations", listShownInitiations, toInitiationView),
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
      const initiation = await readInitiation(c.var.context, params.paymentInitiationID);
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
      const context = c.get("context");
      const { settings } = deploymentOf(c);
      const initiation = await getInitiation(context, params.paymentInitiationID);
      const wanted = toListQuery("payment-initiation-adjustments", {
        query,
        body,
        settings,
        column: "key",
      });
      const page = await listInitiationAdjustments(context, initiation, wanted);
      return {
        status: 200,
        body: toCursorView(mapPage(page, (adjustment) => toAdjustmentView(initiation, adjustment))),
      };
    },
  );
}

function registerPayments(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: `${PATH}/{paymentInitiationID}/payments`,
      operationId: "v3ListPaymentInitiationRelatedPayments",
      summary: "List the payments that were made for a payment initiation, newest first",
      description: "A filter is ignored.",
      tags: TAGS,
      scope: "payments:read",
      params: Params,
      query: ListQuery,
      body: FilterBody,
      responses: { 200: json("A page of payments", cursorOf(PaymentResponse)), ...errors(404) },
    },
    async ({ params, query, c }) => {
      const context = c.get("context");
      const { settings } = deploymentOf(c);
      const initiation = await getInitiation(context, params.paymentInitiationID);
      const { query: _filter, ...unfiltered } = query;
      const wanted = toListQuery("payment-initiation-payments", {
        query: unfiltered,
        body: undefined,
        settings,
      });
      const page = await listInitiationPayments(context, initiation, wanted);
      return { status: 200, body: toCursorView(mapPage(page, toFullPaymentView)) };
    },
  );
}
