import { z } from "zod";
import { readAccount, toAccount, toBalances } from "./accounts.ts";
import type { TinkClient } from "./client.ts";
import { readOwnership } from "./consents.ts";
import { toPayment } from "./payments.ts";
import { isOwnUser } from "./users.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { type Clock, fromMillis } from "#platform/time.ts";

type Meaning = "created" | "modified" | "deleted" | "refreshed" | "ignored";

/** The events and their meanings; `ignored` if another event reports the same or more. */
export const EVENTS: Readonly<Record<string, Meaning>> = {
  "account-transactions:modified": "modified",
  "account-transactions:deleted": "deleted",
  "account-booked-transactions:modified": "ignored",
  "account:created": "created",
  "account:updated": "ignored",
  "refresh:finished": "refreshed",
};

/** The news of a connection by the status at the end of a refresh; all other statuses report nothing. */
export const REFRESHES: Readonly<Record<string, "reconnected" | "disconnected">> = {
  UPDATED: "reconnected",
  TEMPORARY_ERROR: "disconnected",
  AUTHENTICATION_ERROR: "disconnected",
  SESSION_EXPIRED: "disconnected",
};

const NAME = "events";
const URL_PATH = "/events";

type Hearing = kit.ClientWith<TinkClient, "clock" | "store">;

export const tinkWebhooks = (hearing: Hearing): kit.WebhookPlugin => ({
  create: (registration) => register(hearing.client, registration),
  verify: async (webhook) => verify(hearing.clock, webhook),
  translate: (webhook) => translate(hearing, webhook),
});

const ENDPOINTS = "/events/v2/webhook-endpoints";
const Endpoint = z.object({ id: kit.Text, url: z.string() });
const Endpoints = z.object({ webhookEndpoints: z.array(Endpoint) });
const Created = z.object({ id: kit.Text, secret: kit.Text });
type Endpoint = z.output<typeof Endpoint>;

export const listEndpoints = async ({ app }: TinkClient): Promise<Endpoint[]> =>
  (await app.read({ path: ENDPOINTS }, Endpoints, "the webhook endpoints")).webhookEndpoints;

const removeEndpoint = async ({ app }: TinkClient, { id }: Endpoint): Promise<void> => {
  await app.send({ method: "DELETE", path: `${ENDPOINTS}/${encodeURIComponent(id)}` });
};

/** Creates the endpoint. An existing endpoint whose secret was not stored because of a crash is replaced. */
async function register(
  client: TinkClient,
  { baseUrl, registered }: kit.WebhookRegistration,
): Promise<kit.RegisteredWebhook[]> {
  const url = `${baseUrl}${URL_PATH}`;
  let kept: kit.RegisteredWebhook | undefined;
  for (const endpoint of (await listEndpoints(client)).filter((each) => each.url === url)) {
    const known = registered.find(({ metadata }) => metadata["webhook_id"] === endpoint.id);
    if (kept === undefined && known !== undefined) kept = known;
    else await removeEndpoint(client, endpoint);
  }
  if (kept !== undefined) return [kept];
  const json = {
    url,
    description: "Florin",
    disabled: false,
    enabledEvents: Object.keys(EVENTS).filter((event) => meaningOf(event) !== "ignored"),
  };
  const call = { method: "POST", path: ENDPOINTS, json } as const;
  const { id, secret } = await client.app.read(call, Created, "a webhook endpoint");
  return [{ name: NAME, urlPath: URL_PATH, metadata: { webhook_id: id, secret } }];
}

/** Removes all endpoints of an installation: a repeated registration may have created several. */
export async function removeWebhooks(client: TinkClient, connectorId: string): Promise<void> {
  for (const endpoint of await listEndpoints(client)) {
    if (endpoint.url.includes(`/${connectorId}/`)) await removeEndpoint(client, endpoint);
  }
}

/** Verifies a delivery. Deliveries have no ids: the time of the signature distinguishes two deliveries with the same body. */
function verify(clock: Clock, { headers, body, config }: kit.ProviderWebhook): kit.WebhookVerdict {
  const signature = kit.parseTimedSignature(headers["x-tink-signature"]);
  const key = config.metadata["secret"] ?? "";
  if (signature === undefined || key === "") return { refused: "it has no signature" };
  const { time, signatures } = signature;
  const text = `${time}.${body}`;
  if (!kit.isSignedBy({ key, text, encoding: "hex" }, signatures)) {
    return { refused: "the signature does not fit" };
  }
  const seconds = /^\d{1,12}$/.test(time) ? Number(time) : 0;
  if (!kit.isRecent(fromMillis(seconds * 1000), clock())) {
    return { refused: "the signature is too old" };
  }
  return Event.safeParse(kit.parseBody(body)).success
    ? { key: kit.sha256(text, "base64") }
    : { refused: "it is no event" };
}

const Event = z.object({
  event: kit.Text,
  context: z.object({ userId: kit.Text, externalUserId: kit.Text.nullish() }),
  content: z.unknown(),
});

const meaningOf = (event: string): Meaning => kit.rowOf(EVENTS, event) ?? "ignored";

async function translate(
  hearing: Hearing,
  { body }: kit.ProviderWebhook,
): Promise<kit.WebhookReport> {
  const { event, context, content } = kit.parseObject(Event, kit.parseBody(body), "an event");
  const user = context.externalUserId;
  if (!user || !(await isOwnUser(hearing.store, user))) return {};
  switch (meaningOf(event)) {
    case "created": {
      const { id: account } = kit.parseObject(Identified, content, "an event");
      return reportAccount(hearing, { user, providerUserId: context.userId, account });
    }
    case "modified": {
      const { account, transactions } = kit.parseObject(Modified, content, "an event");
      return reportAccount(hearing, {
        user,
        providerUserId: context.userId,
        account: account.id,
        from: transactions.earliestModifiedBookedDate ?? undefined,
        to: transactions.latestModifiedBookedDate ?? undefined,
      });
    }
    case "deleted":
      return { cancelledPayments: kit.parseObject(Deleted, content, "an event").transactions.ids };
    case "refreshed":
      return reportRefresh(hearing.clock, context.userId, content);
    case "ignored":
      return {};
  }
}

const Identified = z.object({ id: kit.Text });
const Modified = z.object({
  account: Identified,
  transactions: z.object({
    earliestModifiedBookedDate: z.string().nullish(),
    latestModifiedBookedDate: z.string().nullish(),
  }),
});
const Deleted = z.object({ transactions: z.object({ ids: z.array(kit.Text) }) });

interface ChangedAccount {
  readonly user: string;
  readonly providerUserId: string;
  readonly account: string;
  /** The days of the first and last changed transaction; absent for all days. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const PER_PAGE = 100;
/** Most pages of transactions that are read for one delivery. */
const PAGES_MAX = 5;

/**
 * Reports an account with its balance and its changed transactions. If there are too many transactions, the whole connection is fetched,
 * too.
 */
async function reportAccount(
  { client, clock }: Hearing,
  { user, providerUserId, account, from, to }: ChangedAccount,
): Promise<kit.WebhookReport> {
  const value = await readAccount(client, user, account);
  if (value === undefined) return {};
  const connectionId = (await readOwnership(client, user)).connectionOf(account);
  const owner = { psuId: user, ...kit.given({ connectionId }) };
  const payments: kit.ProviderPayment[] = [];
  let token: string | undefined;
  for (let pages = 0; pages === 0 || token !== undefined; pages++) {
    if (pages >= PAGES_MAX) break;
    const page = await client.list(user, "transactions", {
      accountIdIn: account,
      bookedDateGte: from,
      bookedDateLte: to,
      pageSize: PER_PAGE,
      pageToken: token,
    });
    payments.push(...page.values.flatMap((each) => toPayment(each, clock()) ?? []));
    token = page.next;
  }
  const hasMore = token !== undefined && connectionId !== undefined;
  return {
    accounts: [{ ...toAccount(value, clock()), ...owner }],
    balances: toBalances(value, clock()).map((balance) => ({ ...balance, ...owner })),
    payments: payments.map((payment) => ({ ...payment, ...owner })),
    ...(hasMore ? { connections: [{ kind: "data-ready", providerUserId, connectionId }] } : {}),
  };
}

const Refresh = z.object({
  credentialsId: kit.Text,
  credentialsStatus: z.string(),
  /** The time of the end, in milliseconds since 1970. */
  finished: z.int().nullish(),
  detailedError: z.object({ type: z.string().nullish() }).nullish(),
});

function reportRefresh(clock: Clock, providerUserId: string, content: unknown): kit.WebhookReport {
  const refresh = kit.parseObject(Refresh, content, "an event");
  const { credentialsId: connectionId, credentialsStatus: status, finished } = refresh;
  const kind = kit.rowOf(REFRESHES, status);
  if (kind === undefined) return {};
  const at = finished === null || finished === undefined ? clock() : fromMillis(finished);
  if (kind === "reconnected") return { connections: [{ kind, providerUserId, connectionId, at }] };
  const reason = [status, refresh.detailedError?.type ?? ""].filter((text) => text !== "");
  return {
    connections: [{ kind, providerUserId, connectionId, at, reason: reason.join(": ") }],
  };
}
