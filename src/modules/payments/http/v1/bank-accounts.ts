import { type OpenAPIHono, z } from "@hono/zod-openapi";
import type {
  BankAccount,
  BankAccountWithNumbers,
} from "#modules/payments/bank-accounts/bank-account.ts";
import { createBankAccount } from "#modules/payments/bank-accounts/create.ts";
import { getBankAccount } from "#modules/payments/bank-accounts/get.ts";
import { listBankAccounts } from "#modules/payments/bank-accounts/list.ts";
import { encodeConnectorId, encodeOwnedId } from "#modules/payments/core/ids.ts";
import { toLegacyProvider } from "#modules/payments/core/providers.ts";
import {
  BankAccountFields,
  toNewBankAccount,
} from "#modules/payments/http/bank-account-requests.ts";
import { OptionalText } from "#modules/payments/http/fields.ts";
import { LIST, listing } from "#modules/payments/http/lists.ts";
import { ConnectorIdInput, uuidParam } from "#modules/payments/http/path-ids.ts";
import { ForwardRequest } from "#modules/payments/http/task-answers.ts";
import { forwardAndWait } from "#modules/payments/job-runner/forward-and-wait.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf, MetadataSchema, TimestampOutput } from "#platform/http/schemas.ts";
import { formatTimestamp } from "#platform/time.ts";

const TAGS = ["Payments API v1"];
const Params = z.object({ bankAccountId: uuidParam("bank account") });

const BankAccountV1Request = BankAccountFields.extend({
  connectorID: OptionalText.pipe(ConnectorIdInput.optional()).openapi({
    type: "string",
    description: "The account is forwarded to this connector. It stays if that fails.",
  }),
}).openapi("BankAccountV1Request");

const BankAccountV1Response = z
  .object({
    id: z.string(),
    name: z.string(),
    createdAt: TimestampOutput,
    country: z.string().openapi({ description: "Empty for none." }),
    iban: z.string().optional(),
    accountNumber: z.string().optional(),
    swiftBicCode: z.string().optional(),
    metadata: MetadataSchema.optional(),
    relatedAccounts: z
      .array(
        z.object({
          id: z.string().openapi({ description: "Always empty." }),
          createdAt: TimestampOutput,
          accountID: z.string(),
          connectorID: z.string(),
          provider: z.string(),
        }),
      )
      .optional(),
  })
  .openapi("BankAccountV1");

export function registerBankAccountsV1(app: OpenAPIHono<AppEnv>): void {
  registerCollection(app);
  registerOne(app);
}

function registerCollection(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/bank-accounts",
      operationId: "createBankAccount",
      summary: "Create a bank account",
      tags: TAGS,
      scope: "payments:write",
      body: BankAccountV1Request,
      responses: { 200: json("The bank account", dataOf(BankAccountV1Response)), ...errors(404) },
    },
    async ({ body, c }) => {
      const account = await createBankAccount(c.var.context, toNewBankAccount(body));
      const shown =
        body.connectorID === undefined
          ? account
          : await forwardAndWait(c.var.context, {
              bankAccountId: account.id,
              connectorId: body.connectorID,
            });
      return { status: 200, body: { data: toBankAccountV1View(shown) } };
    },
  );
  endpoint(
    app,
    {
      ...LIST,
      path: "/bank-accounts",
      operationId: "listBankAccounts",
      summary: "List bank accounts",
      tags: TAGS,
      responses: { 200: json("A page of bank accounts", cursorOf(BankAccountV1Response)) },
    },
    listing("bank-accounts", listBankAccounts, toBankAccountV1View),
  );
}

function registerOne(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/bank-accounts/{bankAccountId}",
      operationId: "getBankAccount",
      summary: "Read a bank account",
      tags: TAGS,
      scope: "payments:read",
      params: Params,
      responses: { 200: json("The bank account", dataOf(BankAccountV1Response)), ...errors(404) },
    },
    async ({ params, c }) => {
      const account = await getBankAccount(c.var.context, params.bankAccountId);
      return { status: 200, body: { data: toBankAccountV1View(account) } };
    },
  );
  endpoint(
    app,
    {
      method: "post",
      path: "/bank-accounts/{bankAccountId}/forward",
      operationId: "forwardBankAccount",
      summary: "Create an account for a bank account at a connector",
      description: "The answer comes when the connector has created the account.",
      tags: TAGS,
      scope: "payments:write",
      params: Params,
      body: ForwardRequest,
      responses: { 200: json("The bank account", dataOf(BankAccountV1Response)), ...errors(404) },
    },
    async ({ params, body, c }) => {
      const account = await forwardAndWait(c.var.context, {
        bankAccountId: params.bankAccountId,
        connectorId: body.connectorID,
      });
      return { status: 200, body: { data: toBankAccountV1View(account) } };
    },
  );
}

/** Clients of version 1 expect absent members instead of empty metadata and an empty list of related accounts. */
const toBankAccountV1View = (account: BankAccount | BankAccountWithNumbers) => ({
  id: account.id,
  name: account.name,
  createdAt: formatTimestamp(account.createdAt),
  country: account.country ?? "",
  ...("numbers" in account ? account.numbers : {}),
  ...(Object.keys(account.metadata).length === 0 ? {} : { metadata: account.metadata }),
  ...(account.related.length === 0
    ? {}
    : {
        relatedAccounts: account.related.map(({ id, createdAt }) => ({
          id: "",
          createdAt: formatTimestamp(createdAt),
          accountID: encodeOwnedId(id),
          connectorID: encodeConnectorId(id.connector),
          provider: toLegacyProvider(id.connector.provider),
        })),
      }),
});
