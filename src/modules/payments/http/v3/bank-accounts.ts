import { type OpenAPIHono, z } from "@hono/zod-openapi";
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
import {
  ForwardRequest,
  TaskIdResponse,
  toTaskIdView,
} from "#modules/payments/http/task-answers.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf } from "#platform/http/schemas.ts";

const TAGS = ["Bank accounts"];
const Params = z.object({ bankAccountID: uuidParam("bank account") });

export function registerBankAccounts(app: OpenAPIHono<AppEnv>): void {
  registerCollection(app);
  registerOne(app);
}

function registerCollection(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v3/bank-accounts",
      operationId: "v3CreateBankAccount",
      summary: "Create a bank account",
      tags: TAGS,
      scope: "payments:write",
      body: BankAccountRequest,
      responses: { 201: json("Its id", dataOf(z.string())) },
    },
    async ({ body, c }) => {
      const { id } = await createBankAccount(c.var.context, toNewBankAccount(body));
      return { status: 201, body: { data: id } };
    },
  );
  endpoint(
    app,
    {
      ...LIST,
      path: "/v3/bank-accounts",
      operationId: "v3ListBankAccounts",
      summary: "List bank accounts",
      description: "Filters: `id`, `name`, `country`, `psu_id`, `metadata[key]`.",
      tags: TAGS,
      responses: { 200: json("A page of bank accounts", cursorOf(BankAccountResponse)) },
    },
    listing("bank-accounts", listBankAccounts, toBankAccountView),
  );
}

function registerOne(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v3/bank-accounts/{bankAccountID}",
      operationId: "v3GetBankAccount",
      summary: "Read a bank account",
      description: "Its numbers are masked.",
      tags: TAGS,
      scope: "payments:read",
      params: Params,
      responses: { 200: json("The bank account", dataOf(BankAccountResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const account = await getBankAccount(c.var.context, params.bankAccountID);
      return { status: 200, body: { data: toBankAccountView(account) } };
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: "/v3/bank-accounts/{bankAccountID}/forward",
      operationId: "v3ForwardBankAccount",
      summary: "Create an account for a bank account at a connector",
      description: "Forwarding it to the same connector again gives the same task.",
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      body: ForwardRequest,
      responses: { 202: json("The task", TaskIdResponse), ...errors(404) },
    },
    async ({ params, body, c }) => {
      const { bankAccountID: bankAccountId } = params;
      const { connectorID: connectorId } = body;
      const task = await forwardBankAccount(c.var.context, { bankAccountId, connectorId });
      return { status: 202, body: toTaskIdView(task) };
    },
  );
}
