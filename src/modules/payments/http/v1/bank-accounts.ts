import { z } from "@hono/zod-openapi";
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
import { assertArmed } from "#platform/arming/held-work.ts";
import {
  MetadataSchema,
  ok,
  operations,
  registration,
  TimestampOutput,
} from "#platform/http/index.ts";
import { formatTimestamp } from "#platform/time.ts";

const bankAccounts = operations({
  path: "/bank-accounts",
  tags: ["Payments API v1"],
  scope: "payments",
});
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

export const registerBankAccountsV1 = registration(
  bankAccounts.post("", {
    operationId: "createBankAccount",
    summary: "Create a bank account",
    body: BankAccountV1Request,
    answer: ok.data("The bank account", BankAccountV1Response, toBankAccountV1View),
    errors: [404],
    handle: async ({ body, context }) => {
      if (body.connectorID !== undefined) {
        await assertArmed(context, body.connectorID.reference);
      }
      const account = await createBankAccount(context, toNewBankAccount(body));
      if (body.connectorID === undefined) return account;
      return forwardAndWait(context, {
        bankAccountId: account.id,
        connectorId: body.connectorID,
      });
    },
  }),
  bankAccounts.get("", {
    operationId: "listBankAccounts",
    summary: "List bank accounts",
    ...LIST,
    answer: ok.page("A page of bank accounts", BankAccountV1Response, toBankAccountV1View),
    handle: listing("bank-accounts", listBankAccounts),
  }),
  bankAccounts.get("/{bankAccountId}", {
    operationId: "getBankAccount",
    summary: "Read a bank account",
    params: Params,
    answer: ok.data("The bank account", BankAccountV1Response, toBankAccountV1View),
    errors: [404],
    handle: ({ params, context }) => getBankAccount(context, params.bankAccountId),
  }),
  bankAccounts.post("/{bankAccountId}/forward", {
    operationId: "forwardBankAccount",
    summary: "Create an account for a bank account at a connector",
    description: "The answer comes when the connector has created the account.",
    params: Params,
    body: ForwardRequest,
    answer: ok.data("The bank account", BankAccountV1Response, toBankAccountV1View),
    errors: [404],
    handle: ({ params, body, context }) =>
      forwardAndWait(context, {
        bankAccountId: params.bankAccountId,
        connectorId: body.connectorID,
      }),
  }),
);
