import { z } from "zod";
import { isPlaidError, type PlaidClient } from "./client.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import { Date3339, parseObject, Text } from "#modules/payments/connectors/kit/objects.ts";
import {
  isEs256Signed,
  isRecent,
  isSameText,
  sha256,
} from "#modules/payments/connectors/kit/signatures.ts";
import type {
  ConnectionNews,
  ProviderWebhook,
  WebhookPlugin,
  WebhookReport,
  WebhookVerdict,
} from "#modules/payments/connectors/webhook-contract.ts";
import { parseJson } from "#platform/json.ts";
import { type Clock, fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

interface Receiver {
  readonly client: PlaidClient;
  readonly clock: Clock;
}

/** The provider is told of the URL with each link: nothing is registered. */
export const plaidWebhooks = (receiver: Receiver): WebhookPlugin => ({
  create: async () => [{ name: "all", urlPath: "/all", metadata: {} }],
  verify: (webhook) => verify(receiver, webhook),
  translate: async ({ body, query }) =>
    translate(parseBody(body), { query, now: receiver.clock() }),
});

/** How far the time of a signature may be from now, in milliseconds. */
const TOLERANCE_MS = 300_000;

const Header = z.object({ alg: z.literal("ES256"), kid: Text });
const Claims = z.object({ iat: z.int(), request_body_sha256: Text });
const Key = z.object({
  key: z.object({
    kty: Text,
    crv: Text,
    x: Text,
    y: Text,
    expired_at: z.number().nullish(),
  }),
});

/** A delivery has a token of its own, which is its key. It is signed with a key that the provider names, and names the body's digest. */
async function verify(
  { client, clock }: Receiver,
  { headers, body }: ProviderWebhook,
): Promise<WebhookVerdict> {
  const token = headers["plaid-verification"] ?? "";
  const [head = "", payload = "", signature = "", ...others] = token.split(".");
  const header = Header.safeParse(parseBody(decoded(head))).data;
  const claims = Claims.safeParse(parseBody(decoded(payload))).data;
  if (header === undefined || claims === undefined || others.length > 0) {
    return { refused: "it is not signed" };
  }
  if (!isSameText(claims.request_body_sha256, sha256(body, "hex"))) {
    return { refused: "its body is another one" };
  }
  if (claims.iat < 0 || claims.iat > SECONDS_MAX) return { refused: "its time is not valid" };
  if (!isRecent(fromMillis(claims.iat * 1000), clock(), TOLERANCE_MS)) {
    return { refused: "its signature is too old, or of the future" };
  }
  const key = await findKey(client, header.kid);
  if (key === undefined) return { refused: "its key is not known, or has expired" };
  const signed = { text: `${head}.${payload}`, signature: Buffer.from(signature, "base64url") };
  if (!(await isEs256Signed(key, signed))) return { refused: "its signature is another one" };
  return Event.safeParse(parseBody(body)).success
    ? { key: sha256(token, "hex") }
    : { refused: "it is no event" };
}

/** The last second of the year 9999. */
const SECONDS_MAX = 253_402_300_799;

/** The public key of an id; undefined for one that is unknown or has expired. Whether it has is only known by asking. */
async function findKey(client: PlaidClient, keyId: string): Promise<JsonWebKey | undefined> {
  try {
    const json = { key_id: keyId };
    const call = { path: "/webhook_verification_key/get", json, isRead: true };
    const { expired_at, ...key } = (await client.call(call, Key)).key;
    return expired_at === undefined || expired_at === null ? key : undefined;
  } catch (error) {
    const isUnknown = error instanceof ConnectorError && error.kind === "invalid";
    // Other refusals are about this connector and not about the key.
    if (isUnknown && !isPlaidError(error, "INVALID_API_KEYS")) return undefined;
    throw error;
  }
}

const decoded = (part: string): string => Buffer.from(part, "base64url").toString();

function parseBody(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    return undefined; // which is no event
  }
}

const Event = z.object({ webhook_type: z.string(), webhook_code: z.string() });
const ItemEvent = z.object({
  item_id: Text,
  error: z.object({ error_code: z.string(), error_message: z.string().nullish() }).nullish(),
  reason: z.string().nullish(),
  consent_expiration_time: Date3339.nullish(),
});
const LinkEvent = z.object({
  status: z.string(),
  link_token: Text,
  public_tokens: z.array(Text).nullish(),
});

interface Delivery {
  readonly query: ProviderWebhook["query"];
  readonly now: Timestamp;
}

function translate(value: unknown, delivery: Delivery): WebhookReport {
  const { webhook_type: type, webhook_code: code } = parseObject(Event, value, "an event");
  if (type === "LINK") return code === "SESSION_FINISHED" ? toEndedLink(value, delivery) : {};
  const news =
    type === "ITEM"
      ? toItemNews(code, value, delivery.now)
      : type === "TRANSACTIONS" && READY.has(code)
        ? { kind: "data-ready" as const, connectionId: itemOf(value).item_id }
        : undefined;
  return news === undefined ? {} : { connections: [news] };
}

/** The events that say that there are transactions to fetch. */
export const READY: ReadonlySet<string> = new Set(["SYNC_UPDATES_AVAILABLE", "HISTORICAL_UPDATE"]);

const itemOf = (value: unknown) => parseObject(ItemEvent, value, "an event of an item");

/** The errors of an item after which it does not work any more; others pass. */
export const BREAKING: ReadonlySet<string> = new Set([
  "ITEM_LOGIN_REQUIRED",
  "USER_PERMISSION_REVOKED",
  "USER_ACCOUNT_REVOKED",
]);

/** What an event says of a connection. */
function toItemNews(code: string, value: unknown, now: Timestamp): ConnectionNews | undefined {
  const { item_id: connectionId, error, reason, consent_expiration_time } = itemOf(value);
  const cause = code === "ERROR" ? error?.error_code : code;
  if (cause !== undefined && BREAKING.has(cause)) {
    return { kind: "disconnected", connectionId, at: now, reason: error?.error_message ?? cause };
  }
  switch (code) {
    case "PENDING_DISCONNECT":
      return { kind: "pending-disconnect", connectionId, at: inAWeek(now), reason: reason ?? code };
    case "PENDING_EXPIRATION":
      return {
        kind: "pending-disconnect",
        connectionId,
        at: consent_expiration_time ?? inAWeek(now),
        reason: reason ?? code,
      };
    case "LOGIN_REPAIRED":
      return { kind: "reconnected", connectionId, at: now };
    default:
      return undefined;
  }
}

const WEEK_MS = 7 * 24 * 3_600_000;

/** The provider warns a week before. */
const inAWeek = (now: Timestamp): Timestamp => fromMillis(toMillis(now) + WEEK_MS);

/** The end of an attempt, whose id is in the URL. It is completed only where the link is that of the attempt. */
function toEndedLink(value: unknown, { query }: Delivery): WebhookReport {
  const { status, link_token, public_tokens } = parseObject(LinkEvent, value, "an event of a link");
  const [attemptId, ...others] = query["attemptID"] ?? [];
  if (attemptId === undefined || others.length > 0) return {};
  return {
    endedLinks: [
      {
        attemptId,
        query: {
          link_token: [link_token],
          status: [status.toLowerCase()],
          public_token: public_tokens ?? [],
        },
      },
    ],
  };
}
