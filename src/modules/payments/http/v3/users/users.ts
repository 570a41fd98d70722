import { z } from "@hono/zod-openapi";
import { toNewUser, toUserView, UserRequest, UserResponse } from "./user-schemas.ts";
import { LIST, listing } from "#modules/payments/http/lists.ts";
import { uuidParam } from "#modules/payments/http/path-ids.ts";
import { addBankAccountToUser } from "#modules/payments/users/add-bank-account.ts";
import { createUser } from "#modules/payments/users/create.ts";
import { listUsers } from "#modules/payments/users/list.ts";
import { getUser } from "#modules/payments/users/store.ts";
import { ok, operations, registration } from "#platform/http/index.ts";

const users = operations({
  path: "/v3/payment-service-users",
  tags: ["Payment service users"],
  scope: "payments",
});
const Params = z.object({ paymentServiceUserID: uuidParam("payment service user") });

export const registerUsers = registration(
  users.post("", {
    operationId: "v3CreatePaymentServiceUser",
    summary: "Create a payment service user",
    body: UserRequest,
    answer: ok.created("Its id", z.string()),
    errors: [404],
    handle: ({ body, context }) => createUser(context, toNewUser(body)),
  }),
  users.get("", {
    operationId: "v3ListPaymentServiceUsers",
    summary: "List payment service users",
    description: "Filters: `id`, `metadata[key]`.",
    ...LIST,
    answer: ok.page("A page of users", UserResponse, toUserView),
    handle: listing("payment-service-users", listUsers),
  }),
  users.get("/{paymentServiceUserID}", {
    operationId: "v3GetPaymentServiceUser",
    summary: "Read a payment service user",
    params: Params,
    answer: ok.data("The user", UserResponse, toUserView),
    errors: [404],
    handle: ({ params, context }) => getUser(context, params.paymentServiceUserID),
  }),
  users.post("/{paymentServiceUserID}/bank-accounts/{bankAccountID}", {
    operationId: "v3AddBankAccountToPaymentServiceUser",
    summary: "Add a bank account to a user",
    description: "A bank account belongs to one user at most: the last user to whom it was added.",
    params: Params.extend({ bankAccountID: uuidParam("bank account") }),
    answer: ok.empty("Added"),
    errors: [404],
    handle: async ({ params, context }) => {
      const { paymentServiceUserID: userId, bankAccountID: bankAccountId } = params;
      await addBankAccountToUser(context, { userId, bankAccountId });
    },
  }),
);
