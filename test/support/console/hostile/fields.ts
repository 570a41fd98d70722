import { asMetadata, type HostileField } from "./field.ts";
import { ledgerFields } from "./ledger-fields.ts";
import { type HostileOwners, WORKFLOWS } from "./owners.ts";
import { paymentFields } from "./payment-fields.ts";
import { reconciliationFields } from "./reconciliation-fields.ts";

const workflowPage = (id: string): string => `/workflows/${id}`;
const triggerPage = (id: string): string => `/workflows/triggers/${id}`;
const walletPage = (id: string): string => `/wallets/${id}`;
const clientPage = (id: string): string => `/access/clients/${id}`;
const endpointPage = (id: string): string => `/developers/webhooks/${id}`;
const settingsPage = (id: string): string => `${endpointPage(id)}/settings`;
const TOO_BIG_255 = "Too big: expected string to have <=255 characters";

export function hostileFields(owners: HostileOwners): readonly HostileField[] {
  return [
    ...ledgerFields(),
    ...paymentFields(owners),
    ...workflowFields(owners),
    ...walletFields(owners),
    ...reconciliationFields(owners),
    ...accessFields(),
    ...webhookFields(owners),
  ];
}

function workflowFields({ workflow }: HostileOwners): readonly HostileField[] {
  const short = {
    limit: 255,
    refuses: { long: "name, event and version have at most 255 characters" },
  };
  const stage = (made: object) => ({ name: "of texts", stages: [made] });
  return [
    {
      name: "workflow",
      page: workflowPage,
      path: `${WORKFLOWS}/workflows`,
      body: (text) => ({ name: text, stages: [{ delay: { duration: "1h" } }] }),
      limit: 1000,
      refuses: { long: "name: expected at most 1000 characters" },
    },
    {
      name: "event of a stage",
      page: workflowPage,
      path: `${WORKFLOWS}/workflows`,
      body: (text) => stage({ wait_event: { event: text } }),
    },
    {
      name: "account and metadata of a stage",
      page: workflowPage,
      path: `${WORKFLOWS}/workflows`,
      body: (text) =>
        stage({
          update: { account: { id: text, ledger: "books", metadata: asMetadata(text) } },
        }),
    },
    {
      name: "trigger",
      page: triggerPage,
      path: `${WORKFLOWS}/triggers`,
      body: (text) => ({ name: text, event: "order.shipped", workflowID: workflow, vars: {} }),
      ...short,
    },
    {
      name: "event of a trigger",
      page: triggerPage,
      path: `${WORKFLOWS}/triggers`,
      body: (text) => ({ name: "plain", event: text, workflowID: workflow, vars: {} }),
      ...short,
    },
  ];
}

function walletFields({ wallet }: HostileOwners): readonly HostileField[] {
  const balance = "invalid balance name";
  return [
    {
      name: "wallet",
      page: walletPage,
      path: "/api/wallets/wallets",
      body: (name) => ({ name, metadata: {} }),
    },
    {
      name: "wallet metadata",
      page: walletPage,
      path: "/api/wallets/wallets",
      body: (text) => ({ name: "of texts", metadata: asMetadata(text) }),
    },
    {
      name: "balance",
      path: `/api/wallets/wallets/${wallet}/balances`,
      body: (name) => ({ name }),
      limit: 215,
      refuses: { markup: balance, rtl: balance, long: "invalid account address" },
    },
    {
      name: "hold",
      path: `/api/wallets/wallets/${wallet}/debit`,
      body: (text) => ({
        amount: { amount: 5, asset: "EUR/2" },
        pending: true,
        description: text,
        metadata: asMetadata(text),
      }),
    },
  ];
}

function accessFields(): readonly HostileField[] {
  const id = "expected ASCII characters without a space";
  return [
    {
      name: "client",
      page: clientPage,
      path: "/api/auth/clients",
      body: (name) => ({ name, scopes: ["ledger:read"] }),
      limit: 256,
      refuses: { long: "body 'name': Too big: expected string to have <=256 characters" },
    },
    {
      name: "client description and metadata",
      page: clientPage,
      path: "/api/auth/clients",
      body: (text) => ({
        name: "of texts",
        description: text,
        scopes: ["ledger:read"],
        metadata: asMetadata(text),
      }),
      limit: 4096,
      refuses: { long: "body 'description': Too big: expected string to have <=4096 characters" },
    },
    {
      name: "client id",
      path: "/api/auth/clients",
      body: (text) => ({ id: text, name: "of texts", scopes: ["ledger:read"] }),
      limit: 128,
      refuses: {
        markup: id,
        rtl: id,
        long: "body 'id': Too big: expected string to have <=128 characters",
      },
    },
    {
      name: "person",
      page: (id) => `/access/people/${id}`,
      path: "/api/florin/v1/users",
      body: (name) => ({
        email: `${crypto.randomUUID()}@example.com`,
        name,
        scopes: ["ledger:read"],
      }),
      limit: 100,
      refuses: { long: "body 'name': Too big: expected string to have <=100 characters" },
    },
  ];
}

function webhookFields({ endpoint }: HostileOwners): readonly HostileField[] {
  const config = (fields: object) => ({
    endpoint,
    name: "of texts",
    eventTypes: ["ledger.committed_transactions"],
    ...fields,
  });
  return [
    {
      name: "endpoint",
      page: endpointPage,
      path: "/api/webhooks/configs",
      body: (name) => config({ name }),
      limit: 255,
      refuses: { long: TOO_BIG_255 },
    },
    {
      name: "event type of an endpoint",
      page: settingsPage,
      path: "/api/webhooks/configs",
      body: (text) => config({ eventTypes: [text] }),
      shownAs: (text) => text.toLowerCase(),
      limit: 255,
      refuses: { long: TOO_BIG_255 },
    },
    {
      name: "URL of an endpoint",
      page: settingsPage,
      path: "/api/webhooks/configs",
      body: (text) => config({ endpoint: `${endpoint}/${text}` }),
      limit: 2000,
      refuses: {
        markup: "endpoint is not an absolute http(s) URL",
        long: "endpoint is longer than 2048 characters",
      },
    },
  ];
}
