import { type OpenAPIHono, z } from "@hono/zod-openapi";
import {
  MetadataTarget,
  PaymentV1Request,
  PaymentV1Response,
  toNewPaymentV1,
  toPaymentV1View,
} from "./payment-schemas.ts";
import { FilterBody, ListQuery, toListQuery } from "#modules/payments/http/lists.ts";
import { paymentIdParam } from "#modules/payments/http/path-ids.ts";
import { PaymentMetadataRequest } from "#modules/payments/http/payment-requests.ts";
import { addPaymentMetadata } from "#modules/payments/payments/add-metadata.ts";
import { createPayment } from "#modules/payments/payments/create.ts";
import { getPayment } from "#modules/payments/payments/get.ts";
import { listPaymentsWithAdjustments } from "#modules/payments/payments/list.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf, toCursorView } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const TAGS = ["Payments API v1"];

export function registerPaymentsV1(app: OpenAPIHono<AppEnv>): void {
  registerCollection(app);
  registerOne(app);
}

function registerCollection(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/payments",
      operationId: "createPayment",
      summary: "Create a payment",
      tags: TAGS,
      scope: "payments:write",
      body: PaymentV1Request,
      responses: { 200: json("The payment", dataOf(PaymentV1Response)) },
    },
    async ({ body, c }) => {
      const payment = await createPayment(c.var.context, toNewPaymentV1(body));
      return { status: 200, body: { data: toPaymentV1View(payment) } };
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/payments",
      operationId: "listPayments",
      summary: "List payments",
      tags: TAGS,
      scope: "payments:read",
      query: ListQuery,
      body: FilterBody,
      responses: { 200: json("A page of payments", cursorOf(PaymentV1Response)) },
    },
    async ({ query, body, c }) => {
      const wanted = toListQuery("payments", { query, body, settings: c.var.settings });
      const page = await listPaymentsWithAdjustments(c.var.context, wanted);
      return { status: 200, body: toCursorView(mapPage(page, toPaymentV1View)) };
    },
  );
}

function registerOne(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/payments/{paymentId}",
      operationId: "getPayment",
      summary: "Read a payment",
      tags: TAGS,
      scope: "payments:read",
      params: z.object({ paymentId: paymentIdParam() }),
      responses: { 200: json("The payment", dataOf(PaymentV1Response)), ...errors(404) },
    },
    async ({ params, c }) => {
      const payment = await getPayment(c.var.context, params.paymentId);
      return { status: 200, body: { data: toPaymentV1View(payment) } };
    },
  );
  endpoint(
    app,
    {
      method: "patch",
      path: "/payments/{paymentId}/metadata",
      operationId: "updateMetadata",
      summary: "Add metadata to a payment",
      tags: TAGS,
      scope: "payments:write",
      params: z.object({ paymentId: MetadataTarget }),
      body: PaymentMetadataRequest,
      responses: { 204: empty("Added"), ...errors(404) },
    },
    async ({ params, body, c }) => {
      await addPaymentMetadata(c.var.context, { id: params.paymentId, metadata: body });
      return { status: 204 };
    },
  );
}
