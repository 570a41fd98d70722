import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { toNewUser, toUserView, UserRequest, UserResponse } from "./user-schemas.ts";
import { LIST, listing } from "#modules/payments/http/lists.ts";
import { uuidParam } from "#modules/payments/http/path-ids.ts";
import { addBankAccountToUser } from "#modules/payments/users/add-bank-account.ts";
import { createUser } from "#modules/payments/users/create.ts";
import { listUsers } from "#modules/payments/users/list.ts";
import { getUser } from "#modules/payments/users/store.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf } from "#platform/http/schemas.ts";

const TAGS = ["Payment service users"];
const Params = z.object({ paymentServiceUserID: uuidParam("payment service user") });

export function registerUsers(app: OpenAPIHono<AppEnv>): void {
  registerCollection(app);
  registerOne(app);
}

function registerCollection(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v3/payment-service-users",
      operationId: "v3CreatePaymentServiceUser",
      summary: "Create a payment service user",
      tags: TAGS,
      scope: "payments:write",
      body: UserRequest,
      responses: { 201: json("Its id", dataOf(z.string())), ...errors(404) },
    },
    async ({ body, c }) => {
      const id = await createUser(c.var.context, toNewUser(body));
      return { status: 201, body: { data: id } };
    },
  );
  endpoint(
    app,
    {
      ...LIST,
      path: "/v3/payment-service-users",
      operationId: "v3ListPaymentServiceUsers",
      summary: "List payment service users",
      description: "Filters: `id`, `metadata[key]`.",
      tags: TAGS,
      responses: { 200: json("A page of users", cursorOf(UserResponse)) },
    },
    listing("payment-service-users", listUsers, toUserView),
  );
}

function registerOne(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v3/payment-service-users/{paymentServiceUserID}",
      operationId: "v3GetPaymentServiceUser",
      summary: "Read a payment service user",
      tags: TAGS,
      scope: "payments:read",
      params: Params,
      responses: { 200: json("The user", dataOf(UserResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const user = await getUser(c.var.context, params.paymentServiceUserID);
      return { status: 200, body: { data: toUserView(user) } };
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: "/v3/payment-service-users/{paymentServiceUserID}/bank-accounts/{bankAccountID}",
      operationId: "v3AddBankAccountToPaymentServiceUser",
      summary: "Add a bank account to a user",
      description:
        "A bank account belongs to one user at most: the last user to whom it was added.",
      tags: TAGS,
      scope: "payments:write",
      params: Params.extend({ bankAccountID: uuidParam("bank account") }),
      responses: { 204: empty("Added"), ...errors(404) },
    },
    async ({ params, c }) => {
      const { paymentServiceUserID: userId, bankAccountID: bankAccountId } = params;
      await addBankAccountToUser(c.var.context, { userId, bankAccountId });
      return { status: 204 };
    },
  );
}
