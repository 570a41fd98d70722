import { type OpenAPIHono, z } from "@hono/zod-openapi";
import {
  BankAccountRequest,
  BankAccountResponse,
  toBankAccountView,
} from "./bank-account-schemas.ts";
import { addBankAccountMetadata } from "#modules/payments/bank-accounts/add-metadata.ts";
import { createBankAccount } from "#modules/payments/bank-accounts/create.ts";
import { forwardBankAccount } from "#modules/payments/bank-accounts/forward.ts";
import { getBankAccount } from "#modules/payments/bank-accounts/get.ts";
import { listBankAccounts } from "#modules/payments/bank-accounts/list.ts";
import { toNewBankAccount } from "#modules/payments/http/bank-account-requests.ts";
import { MetadataRequest } from "#modules/payments/http/fields.ts";
import { FilterBody, ListQuery, toListQuery } from "#modules/payments/http/lists.ts";
import { uuidParam } from "#modules/payments/http/path-ids.ts";
import {
  ForwardRequest,
  TaskIdResponse,
  toTaskIdView,
} from "#modules/payments/http/task-answers.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf, toCursorView } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";

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
      method: "get",
      path: "/v3/bank-accounts",
      operationId: "v3ListBankAccounts",
      summary: "List bank accounts",
      description: "Filters: `id`, `name`, `country`, `psu_id`, `metadata[key]`.",
      tags: TAGS,
      scope: "payments:read",
      query: ListQuery,
      body: FilterBody,
      responses: { 200: json("A page of bank accounts", cursorOf(BankAccountResponse)) },
    },
    async ({ query, body, c }) => {
      const wanted = toListQuery("bank-accounts", { query, body, settings: c.var.settings });
      const page = await listBankAccounts(c.var.context, wanted);
      return { status: 200, body: toCursorView(mapPage(page, toBankAccountView)) };
    },
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
      method: "patch",
      path: "/v3/bank-accounts/{bankAccountID}/metadata",
      operationId: "v3UpdateBankAccountMetadata",
      summary: "Add metadata to a bank account",
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      body: MetadataRequest,
      responses: { 204: empty("Added"), ...errors(404) },
    },
    async ({ params, body, c }) => {
      const { metadata } = body;
      await addBankAccountMetadata(c.var.context, { id: params.bankAccountID, metadata });
      return { status: 204 };
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: "/v3/bank-accounts/{bankAccountID}/forward",
      operationId: "v3ForwardBankAccount",
      summary: "Have a connector make an account of a bank account",
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
