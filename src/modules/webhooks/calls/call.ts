import { signatureHeaders, type SigningSecret } from "./signature.ts";
import { classify } from "#modules/webhooks/core/retry.ts";
import type { ServiceContext } from "#platform/context.ts";
import {
  callOutbound,
  judgeUrl,
  type JudgedUrl,
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
  /** With its secrets; undefined where the key that has encrypted them is not among the settings. */
  readonly endpoint: string | undefined;
  /**
   * The secrets that are valid at a time, in milliseconds since the epoch, newest first; they are decrypted once. Throws
   * when the key that has encrypted one is not among the settings.
   */
  readonly openSecrets: (nowMs: number) => readonly SigningSecret[];
}

/** Where requests of one config go, and what signs them at a time, in milliseconds since the epoch. */
export interface CallTarget {
  readonly url: JudgedUrl;
  /** The secrets in the URL, which no text may show that is stored of a call. */
  readonly urlSecrets: readonly string[];
  readonly openSecrets: (nowMs: number) => readonly SigningSecret[];
}

/** What one request to an endpoint carries. */
export interface WebhookMessage {
  /** Sent as `formance-webhook-id` and as `webhook-id`. */
  readonly id: string;
  readonly body: string;
  /** Sent as `formance-webhook-idempotency-key`, unless it is empty. */
  readonly idempotencyKey: string;
  readonly isTest: boolean;
}

export interface WebhookCall extends WebhookMessage {
  readonly target: CallTarget;
}

export interface CallResult {
  /** 0 when no answer came. */
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
  nowMs: () => toMillis(clock()),
});

/** Where requests go, with a URL that is judged once. */
export const toCallTarget = (
  { endpoint, openSecrets }: DeliveryTarget,
  { policy }: CallContext,
): CallTarget =>
  endpoint === undefined
    ? { url: { problem: "cannot be decrypted" }, urlSecrets: [], openSecrets }
    : { url: judgeUrl(endpoint, policy), urlSecrets: urlSecretsOf(endpoint), openSecrets };

/** Time for one call, the reading of the answer included. */
export const CALL_TIMEOUT_MS = 15_000;
/** Most bytes of an answer that are stored. */
const EXCERPT_BYTES_MAX = 65_536;
/** Decodes whole texts only, so that nothing of one is left for the next. */
const DECODER = new TextDecoder();

/** Sends one signed request. Never throws: every problem becomes a failed call, which the retry rules handle. */
export async function callEndpoint(call: WebhookCall, context: CallContext): Promise<CallResult> {
  const startedMs = context.nowMs();
  const result = await post(call, context, startedMs);
  const respondedMs = context.nowMs();
  const durationMs = respondedMs - startedMs;
  if (result.kind === "unreachable")
    return { statusCode: 0, error: show(result.error, call), durationMs };
  const { status: statusCode, body, bodyError } = result;
  const hasSucceeded = classify(statusCode) === "succeeded";
  // Most answers are this.
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

/** The headers of a request, signatures included. */
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

/** A text from outside as it may be stored and shown. */
const show = (text: string, { target }: WebhookCall): string =>
  clean(hideSecrets(text, target.urlSecrets));

/** Removes control characters other than tabs and line breaks, so that a text from outside can be stored and shown. */
const clean = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, "\ufffd");

/** Milliseconds to wait, from seconds or an HTTP date. */
export function parseRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const dateMs = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
