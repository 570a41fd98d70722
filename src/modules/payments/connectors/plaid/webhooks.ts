import { z } from "zod";
import { isPlaidError, type PlaidClient } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

type Receiver = kit.ClientWith<PlaidClient, "clock">;

/**
 * The webhooks of Plaid. Each link contains the URL, so that nothing has to be registered. `verify` asks the provider for the public key of each
 * delivery whose body and time are right, and throws a `ConnectorError` if the provider does not answer. `translate` ignores events of other types and codes.
 */
export const plaidWebhooks = (receiver: Receiver): kit.WebhookPlugin => ({
  create: async () => [{ name: "all", urlPath: "/all", metadata: {} }],
  verify: (webhook) => verify(receiver, webhook),
  translate: async ({ body, query }) =>
    translate(kit.parseBody(body), { query, now: receiver.clock() }),
});

const Header = z.object({ alg: z.literal("ES256"), kid: kit.Text });
const Claims = z.object({ iat: z.int(), request_body_sha256: kit.Text });
const Key = z.object({
  key: z.object({
    kty: kit.Text,
    crv: kit.Text,
    x: kit.Text,
    y: kit.Text,
    expired_at: z.number().nullish(),
  }),
});

/**
 * Verifies the token of a delivery, which also gives the key of the delivery. The token contains the digest of the body, and is signed with
 * a key of the provider.
 */
async function verify(
  { client, clock }: Receiver,
  { headers, body }: kit.ProviderWebhook,
): Promise<kit.WebhookVerdict> {
  const token = headers["plaid-verification"] ?? "";
  const [head = "", payload = "", signature = "", ...others] = token.split(".");
  const header = Header.safeParse(kit.parseBody(decoded(head))).data;
  const claims = Claims.safeParse(kit.parseBody(decoded(payload))).data;
  if (header === undefined || claims === undefined || others.length > 0) {
    return { refused: "it is not signed" };
  }
  if (!kit.isSameText(claims.request_body_sha256, kit.sha256(body, "hex"))) {
    return { refused: "its body is another one" };
  }
  if (claims.iat < 0 || claims.iat > SECONDS_MAX) return { refused: "its time is not valid" };
  if (!kit.isRecent(fromMillis(claims.iat * 1000), clock())) {
    return { refused: "its signature is too old, or of the future" };
  }
  const key = await findKey(client, header.kid);
  if (key === undefined) return { refused: "its key is not known, or has expired" };
  const signed = { text: `${head}.${payload}`, signature: Buffer.from(signature, "base64url") };
  if (!(await kit.isEs256Signed(key, signed))) return { refused: "its signature is another one" };
  return Event.safeParse(kit.parseBody(body)).success
    ? { key: kit.sha256(token, "hex") }
    : { refused: "it is no event" };
}

/** The last second of the year 9999. */
const SECONDS_MAX = 253_402_300_799;

/** The public key with an id; undefined for a key that is unknown or has expired. Only the provider knows whether a key has expired. */
async function findKey(client: PlaidClient, keyId: string): Promise<JsonWebKey | undefined> {
  try {
    const json = { key_id: keyId };
    const call = { path: "/webhook_verification_key/get", json, isRead: true };
    const { expired_at, ...key } = (await client.call(call, Key)).key;
    return expired_at === undefined || expired_at === null ? key : undefined;
  } catch (error) {
    const isUnknown = error instanceof kit.ConnectorError && error.kind === "invalid";
    // An invalid API key is an error of this connector, and says nothing about the public key.
    if (isUnknown && !isPlaidError(error, "INVALID_API_KEYS")) return undefined;
    throw error;
  }
}

const decoded = (part: string): string => Buffer.from(part, "base64url").toString();

const Event = z.object({ webhook_type: z.string(), webhook_code: z.string() });
const ItemEvent = z.object({
  item_id: kit.Text,
  error: z.object({ error_code: z.string(), error_message: z.string().nullish() }).nullish(),
  reason: z.string().nullish(),
  consent_expiration_time: kit.Date3339.nullish(),
});
const LinkEvent = z.object({
  status: z.string(),
  link_token: kit.Text,
  public_tokens: z.array(kit.Text).nullish(),
});

interface Delivery {
  readonly query: kit.ProviderWebhook["query"];
  readonly now: Timestamp;
}

function translate(value: unknown, delivery: Delivery): kit.WebhookReport {
  const { webhook_type: type, webhook_code: code } = kit.parseObject(Event, value, "an event");
  if (type === "LINK") return code === "SESSION_FINISHED" ? toEndedLink(value, delivery) : {};
  const news =
    type === "ITEM"
      ? toItemNews(code, value, delivery.now)
      : type === "TRANSACTIONS" && NEW_DATA_CODES.has(code)
        ? { kind: "data-ready" as const, connectionId: itemOf(value).item_id }
        : undefined;
  return news === undefined ? {} : { connections: [news] };
}

/** The codes of `TRANSACTIONS` events that report new transactions. */
export const NEW_DATA_CODES: ReadonlySet<string> = new Set([
  "SYNC_UPDATES_AVAILABLE",
  "HISTORICAL_UPDATE",
]);

const itemOf = (value: unknown) => kit.parseObject(ItemEvent, value, "an event of an item");

/** The codes of `ITEM` events, and of errors in them, after which a connection does not work any more. Other errors pass. */
export const DISCONNECTING_CODES: ReadonlySet<string> = new Set([
  "ITEM_LOGIN_REQUIRED",
  "USER_PERMISSION_REVOKED",
  "USER_ACCOUNT_REVOKED",
]);

/** The news of a connection that an event reports. */
function toItemNews(code: string, value: unknown, now: Timestamp): kit.ConnectionNews | undefined {
  const { item_id: connectionId, error, reason, consent_expiration_time } = itemOf(value);
  const cause = code === "ERROR" ? error?.error_code : code;
  if (cause !== undefined && DISCONNECTING_CODES.has(cause)) {
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

/** The time of a disconnection for which the event has no time: the provider warns a week before. */
const inAWeek = (now: Timestamp): Timestamp => fromMillis(toMillis(now) + WEEK_MS);

/** Reports the end of an attempt, whose id is in the URL. The completion checks that the link belongs to the attempt. */
function toEndedLink(value: unknown, { query }: Delivery): kit.WebhookReport {
  const { status, link_token, public_tokens } = kit.parseObject(
    LinkEvent,
    value,
    "an event of a link",
  );
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
