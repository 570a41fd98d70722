import { signatureHeaders, type SigningSecret } from "./signature.ts";
import { classify } from "#modules/webhooks/core/retry.ts";
import { outboundGate } from "#platform/arming/held-work.ts";
import type { ServiceContext } from "#platform/context.ts";
import {
  callOutbound,
  checkUrl,
  type CheckedUrl,
  type OutboundAccess,
  type OutboundResult,
  systemFetch,
} from "#platform/http/outbound.ts";
import { logError } from "#platform/log.ts";
import { platformSettings } from "#platform/platform-settings.ts";
import { hideSecrets, urlSecretsOf } from "#platform/secrets/url-secrets.ts";
import { toMillis } from "#platform/time.ts";

/** The endpoint of a delivery, and the secrets that sign it. */
export interface DeliveryTarget {
  /** The URL with its secrets; undefined if the key that encrypted it is not among the settings. */
  readonly endpoint: string | undefined;
  /**
   * The secrets that are valid at a time, in milliseconds since the epoch, newest first. They are decrypted at the first call.
   * Throws if the key that encrypted one of them is not among the settings.
   */
  readonly openSecrets: (nowMs: number) => readonly SigningSecret[];
}

/** The endpoint of one config with its URL checked, and the secrets that sign at a time, in milliseconds since the epoch. */
export interface CallTarget {
  readonly url: CheckedUrl;
  /** The secrets in the URL. No stored text about a call may contain them. */
  readonly urlSecrets: readonly string[];
  readonly openSecrets: (nowMs: number) => readonly SigningSecret[];
}

/** The content of one request to an endpoint. */
export interface WebhookMessage {
  /** The value of the headers `formance-webhook-id` and `webhook-id`. */
  readonly id: string;
  readonly body: string;
  /** The value of the header `formance-webhook-idempotency-key`, which is left out if the key is empty. */
  readonly idempotencyKey: string;
  readonly isTest: boolean;
}

export interface WebhookCall extends WebhookMessage {
  readonly target: CallTarget;
}

export interface CallResult {
  /** The HTTP status; 0 if no answer came. */
  readonly statusCode: number;
  readonly error?: string;
  readonly responseExcerpt?: string;
  readonly retryAfterMs?: number;
  readonly durationMs: number;
}

export interface CallContext extends OutboundAccess {
  /** The time, in milliseconds since the epoch. */
  readonly nowMs: () => number;
}

/** How a deployment calls endpoints. */
export const callContextOf = ({
  env,
  clock,
}: Pick<ServiceContext, "env" | "clock">): CallContext => ({
  fetch: systemFetch(env),
  policy: { allowPrivateHosts: platformSettings.of(env).FLORIN_ALLOW_PRIVATE_HOSTS },
  gate: outboundGate(env),
  nowMs: () => toMillis(clock()),
});

/** Checks the URL of a target once, for all its requests. */
export const toCallTarget = (
  { endpoint, openSecrets }: DeliveryTarget,
  { policy }: CallContext,
): CallTarget =>
  endpoint === undefined
    ? { url: { problem: "cannot be decrypted" }, urlSecrets: [], openSecrets }
    : { url: checkUrl(endpoint, policy), urlSecrets: urlSecretsOf(endpoint), openSecrets };

/** Longest time of one call in milliseconds, including the reading of the answer. */
export const CALL_TIMEOUT_MS = 15_000;
/** Most bytes of an answer that are stored. */
const EXCERPT_BYTES_MAX = 65_536;
/** Shared by all calls: it decodes whole texts only, so no state is left between two of them. */
const DECODER = new TextDecoder();

/**
 * Sends one signed request. Every problem becomes a failed call, which the retry rules handle. Throws only what the gate throws, for a request
 * that was not sent (`isHeld`).
 */
export async function callEndpoint(call: WebhookCall, context: CallContext): Promise<CallResult> {
  const startedMs = context.nowMs();
  const result = await post(call, context, startedMs);
  const respondedMs = context.nowMs();
  const durationMs = respondedMs - startedMs;
  if (result.kind === "unreachable")
    return { statusCode: 0, error: show(result.error, call), durationMs };
  const { status: statusCode, body, bodyError } = result;
  const hasSucceeded = classify(statusCode) === "succeeded";
  // The answer of most endpoints: success, without a body.
  if (hasSucceeded && body.length === 0 && bodyError === undefined)
    return { statusCode, durationMs };
  const excerpt = show(DECODER.decode(body), call);
  const retryAfterMs = hasSucceeded
    ? undefined
    : parseRetryAfter(result.headers.get("retry-after"), respondedMs);
  return {
    statusCode,
    ...(bodyError === undefined ? {} : { error: show(bodyError, call) }),
    ...(excerpt === "" ? {} : { responseExcerpt: excerpt }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    durationMs,
  };
}

function post(
  call: WebhookCall,
  access: CallContext,
  startedMs: number,
): OutboundResult | Promise<OutboundResult> {
  let headers: Record<string, string>;
  try {
    headers = headersOf(call, call.target.openSecrets(startedMs), startedMs);
  } catch (error) {
    logError("a webhook could not be signed", error);
    return { kind: "unreachable", error: "the request could not be signed" };
  }
  return callOutbound(
    {
      method: "POST",
      url: call.target.url,
      headers,
      body: call.body,
      timeoutMs: CALL_TIMEOUT_MS,
      bodyBytesMax: EXCERPT_BYTES_MAX,
    },
    access,
  );
}

/** The headers of a request, including its signatures. */
export function headersOf(
  { id, body, idempotencyKey, isTest }: WebhookMessage,
  secrets: readonly SigningSecret[],
  nowMs: number,
): Record<string, string> {
  const timestampSeconds = Math.floor(nowMs / 1000);
  return {
    "content-type": "application/json",
    "user-agent": "formance-webhooks/v0",
    ...signatureHeaders(secrets, { id, timestampSeconds, body }),
    "formance-webhook-test": String(isTest),
    ...(idempotencyKey === "" ? {} : { "formance-webhook-idempotency-key": idempotencyKey }),
  };
}

/** Makes a text from outside fit to be stored and shown: without the URL's secrets and without control characters. */
const show = (text: string, { target }: WebhookCall): string =>
  clean(hideSecrets(text, target.urlSecrets));

/** Removes control characters other than tabs and line breaks. */
const clean = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, "\ufffd");

/** Parses `Retry-After`, seconds or an HTTP date, to a wait in milliseconds; undefined for anything else. */
export function parseRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const dateMs = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
