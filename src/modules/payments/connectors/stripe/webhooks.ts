import { z } from "zod";
import { toBalances } from "./balances.ts";
import { API_VERSION, type StripeClient } from "./client.ts";
import { Reference } from "./objects.ts";
import { readPayment } from "./transactions.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { type Clock, fromMillis } from "#platform/time.ts";

/**
 * The subscribed types of events, each with the place at which an event contains the ids of balance transactions. The transactions are read
 * from the provider when an event arrives, so that the order of events does not matter. Other types are ignored.
 */
export const EVENTS: Readonly<Record<string, "balance" | "transactions" | "refunds">> = {
  "balance.available": "balance",
  "charge.succeeded": "transactions",
  "charge.refunded": "refunds",
  "charge.dispute.created": "transactions",
  "charge.dispute.funds_withdrawn": "transactions",
  "charge.dispute.funds_reinstated": "transactions",
  "charge.dispute.closed": "transactions",
  "payout.created": "transactions",
  "payout.updated": "transactions",
  "payout.paid": "transactions",
  "payout.failed": "transactions",
  "payout.canceled": "transactions",
  "transfer.created": "transactions",
  "transfer.reversed": "transactions",
};

/** The paths for events of the API key's own account, and of connected accounts. */
const URL_PATHS = ["/root", "/connect"] as const;

export const stripeWebhooks = (client: StripeClient, clock: Clock): kit.WebhookPlugin => ({
  create: (registration) => register(client, registration),
  verify: async (webhook) => verify(webhook, clock),
  translate: (webhook) => translate(client, webhook),
});

/**
 * Creates the endpoints. The provider shows the secret of an endpoint only at its creation, so that an endpoint whose secret is not stored
 * is replaced.
 */
async function register(
  client: StripeClient,
  { baseUrl, registered }: kit.WebhookRegistration,
): Promise<kit.RegisteredWebhook[]> {
  const account = await client.ownAccount();
  const endpoints = await listEndpoints(client);
  const webhooks: kit.RegisteredWebhook[] = [];
  for (const urlPath of URL_PATHS) {
    const there = endpoints.filter(({ url }) => url === `${baseUrl}${urlPath}`);
    const known = registered.find(
      ({ name, metadata }) => metadata["secret"] && there.some(({ id }) => id === name),
    );
    for (const { id } of there) if (id !== known?.name) await client.remove(pathOf(id));
    const { name, secret } = await save(client, { url: `${baseUrl}${urlPath}`, urlPath, known });
    const metadata = {
      secret,
      enabled_events: ENABLED.join(","),
      webhook_related_account_id: account,
    };
    webhooks.push({ name, urlPath, metadata });
  }
  return webhooks;
}

const ENABLED = Object.keys(EVENTS);

interface NewEndpoint {
  readonly url: string;
  readonly urlPath: (typeof URL_PATHS)[number];
  /** The existing endpoint, with its secret. */
  readonly known: kit.RegisteredWebhook | undefined;
}

async function save(
  client: StripeClient,
  { url, urlPath, known }: NewEndpoint,
): Promise<{ readonly name: string; readonly secret: string }> {
  const events = { "enabled_events[]": ENABLED };
  if (known !== undefined) {
    const form = { ...events, disabled: false };
    await client.write({ path: pathOf(known.name), form }, "an endpoint of webhooks");
    return { name: known.name, secret: known.metadata["secret"] ?? "" };
  }
  const connect = urlPath === "/connect" ? { connect: true } : {};
  const form = { url, ...events, ...connect, api_version: API_VERSION };
  const made = await client.write({ path: "/webhook_endpoints", form }, "an endpoint of webhooks");
  const { secret } = kit.parseObject(Secret, made.value, "an endpoint of webhooks");
  return { name: made.id, secret };
}

const Secret = z.object({ secret: kit.Text });
const Endpoint = z.object({ id: kit.Text, url: z.string() });

const pathOf = (id: string): string => `/webhook_endpoints/${encodeURIComponent(id)}`;

const listEndpoints = (client: StripeClient): Promise<z.output<typeof Endpoint>[]> =>
  kit.readEndpoints<z.output<typeof Endpoint>, string>(async (after, limit) => {
    const place = after === undefined ? {} : { after };
    const page = await client.list({ path: "/webhook_endpoints", place, limit });
    const endpoints = page.items.map(({ value }) =>
      kit.parseObject(Endpoint, value, "an endpoint of webhooks"),
    );
    return { endpoints, next: page.hasMore ? endpoints.at(-1)?.id : undefined };
  });

/** Removes the endpoints of an installation, with those that were created but not stored. */
export async function removeWebhooks(
  client: StripeClient,
  { connectorId, webhooks }: kit.InstalledWebhooks,
): Promise<void> {
  const names = new Set(webhooks.map(({ name }) => name));
  for (const { id, url } of await listEndpoints(client)) {
    const isOwn = URL_PATHS.some((urlPath) => url.endsWith(`/${connectorId}${urlPath}`));
    if (isOwn || names.has(id)) await client.remove(pathOf(id));
  }
}

const verify = ({ headers, body, config }: kit.ProviderWebhook, clock: Clock): kit.WebhookVerdict =>
  kit.verifyTimed({
    header: headers["stripe-signature"],
    body,
    key: config.metadata["secret"] ?? "",
    readTime: (text) => (/^\d{1,10}$/.test(text) ? fromMillis(Number(text) * 1000) : undefined),
    now: clock(),
  });

const Identified = z.object({ id: kit.Text });

const Event = z.object({
  type: z.string(),
  /** The connected account of the event; absent for the API key's own account. */
  account: kit.Text.nullish(),
  created: kit.UnixSeconds,
  data: z.object({ object: z.unknown() }),
});

async function translate(
  client: StripeClient,
  { body, config }: kit.ProviderWebhook,
): Promise<kit.WebhookReport> {
  const event = kit.parseObject(Event, kit.parseBody(body), "an event");
  const account = event.account ?? config.metadata["webhook_related_account_id"];
  const what = kit.rowOf(EVENTS, event.type);
  if (account === undefined || what === undefined) return {};
  const { object } = event.data;
  if (what === "balance") return { balances: toBalances(object, { account, at: event.created }) };
  const ids = what === "refunds" ? await refundsOf(client, { account, object }) : idsIn(object);
  const payments: kit.ProviderPayment[] = [];
  for (const id of ids) payments.push(...(await readPayment(client, { account, id })));
  return { payments };
}

const Listed = z.object({ balance_transaction: Reference });

/**
 * The members in which objects contain balance transactions: payouts also have the second one, disputes the third, and transfers the last.
 */
const Moving = Listed.extend({
  failure_balance_transaction: Reference,
  balance_transactions: z.array(z.object({ id: kit.Text })).nullish(),
  reversals: z.object({ data: z.array(Listed) }).nullish(),
});

function idsIn(object: unknown): string[] {
  const moving = kit.parseObject(Moving, object, "the object of an event");
  const ids = [
    moving.balance_transaction,
    moving.failure_balance_transaction,
    ...(moving.balance_transactions ?? []).map(({ id }) => id),
    ...(moving.reversals?.data ?? []).map((reversal) => reversal.balance_transaction),
  ];
  return [...new Set(ids.filter((id) => id !== undefined))];
}

/** Most refunds of a charge that are read for an event. Earlier events have reported older refunds. */
const REFUNDS_MAX = 10;

/** The balance transactions of the refunds of a charge, since an event contains the charge without its refunds. */
async function refundsOf(
  client: StripeClient,
  { account, object }: { readonly account: string; readonly object: unknown },
): Promise<string[]> {
  const { id: charge } = kit.parseObject(Identified, object, "a charge");
  const { items } = await client.list({
    path: "/refunds",
    account,
    query: { charge },
    place: {},
    limit: REFUNDS_MAX,
  });
  return items.flatMap(({ value }) => idsIn(value)).toReversed();
}
