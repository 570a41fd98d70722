import { z } from "@hono/zod-openapi";
import {
  BankAccountRequest,
  BankAccountResponse,
  toBankAccountView,
} from "./bank-account-schemas.ts";
import { createBankAccount } from "#modules/payments/bank-accounts/create.ts";
import { forwardBankAccount } from "#modules/payments/bank-accounts/forward.ts";
import { getBankAccount } from "#modules/payments/bank-accounts/get.ts";
import { listBankAccounts } from "#modules/payments/bank-accounts/list.ts";
import { toNewBankAccount } from "#modules/payments/http/bank-account-requests.ts";
import { LIST, listing } from "#modules/payments/http/lists.ts";
import { uuidParam } from "#modules/payments/http/path-ids.ts";
import { ForwardRequest, TASK_BEGUN } from "#modules/payments/http/task-answers.ts";
import { ok, operations, registration } from "#platform/http/index.ts";

const bankAccounts = operations({
  path: "/v3/bank-accounts",
  tags: ["Bank accounts"],
  scope: "payments",
});
const Params = z.object({ bankAccountID: uuidParam("bank account") });

export const registerBankAccounts = registration(
  bankAccounts.post("", {
    operationId: "v3CreateBankAccount",
    summary: "Create a bank account",
    body: BankAccountRequest,
    answer: ok.created("Its id", z.string(), ({ id }: { readonly id: string }) => id),
    handle: ({ body, context }) => createBankAccount(context, toNewBankAccount(body)),
  }),
  bankAccounts.get("", {
    operationId: "v3ListBankAccounts",
    summary: "List bank accounts",
    description: "Filters: `id`, `name`, `country`, `psu_id`, `metadata[key]`.",
    ...LIST,
    answer: ok.page("A page of bank accounts", BankAccountResponse, toBankAccountView),
    handle: listing("bank-accounts", listBankAccounts),
  }),
  bankAccounts.get("/{bankAccountID}", {
    operationId: "v3GetBankAccount",
    summary: "Read a bank account",
    description: "Its numbers are masked.",
    params: Params,
    answer: ok.data("The bank account", BankAccountResponse, toBankAccountView),
    errors: [404],
    handle: ({ params, context }) => getBankAccount(context, params.bankAccountID),
  }),
  bankAccounts.post("/{bankAccountID}/forward", {
    operationId: "v3ForwardBankAccount",
    summary: "Create an account for a bank account at a connector",
    description: "Forwarding it to the same connector again gives the same task.",
    params: Params,
    body: ForwardRequest,
    answer: TASK_BEGUN,
    errors: [404],
    handle: ({ params, body, context }) => {
      const { bankAccountID: bankAccountId } = params;
      const { connectorID: connectorId } = body;
      return forwardBankAccount(context, { bankAccountId, connectorId });
    },
  }),
);
