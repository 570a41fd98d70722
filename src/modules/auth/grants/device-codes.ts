import { randomInt } from "node:crypto";
import { beginGrant, type Grant } from "./authorization-codes.ts";
import {
  DEVICE_CODE_LIFETIME_MS,
  type DeviceCodeRow,
  DeviceCodeStore,
  EXPIRED_KEPT_MS,
  isLive,
  isTooEarly,
} from "./device-code-store.ts";
import { GrantStore } from "./grant-store.ts";
import { hashToken, newOpaqueToken } from "./opaque-token.ts";
import type { MembershipKind } from "#modules/auth/core/membership.ts";
import { OAuthError } from "#modules/auth/core/oauth-error.ts";
import { USER_CODE_ALPHABET, USER_CODE_LENGTH } from "#modules/auth/core/user-code.ts";
import { assert } from "#platform/assert.ts";
import type { ServiceContext } from "#platform/context.ts";
import { toMillis } from "#platform/time.ts";

/** How long after its redemption a device code gives tokens once more, in milliseconds, because the answer may have been lost. */
const ANSWER_LOST_MS_MAX = 30_000;
/** How often another user code is drawn if one is taken. Two are equal once in 250,000 requests at the worst. */
const DRAWS_MAX = 5;

/** What a device asks for. */
export interface DeviceRequest {
  readonly clientId: string;
  /** The requested scopes that the client may have. */
  readonly scopes: readonly string[];
  readonly membership: MembershipKind | undefined;
  readonly hintedSubject: string | undefined;
  /** The IP address of the device. */
  readonly address: string;
}

/** The two codes of a device: it polls with the first one and shows the second one to a person. */
export interface DeviceCodes {
  readonly deviceCode: string;
  /** The user code without its hyphen. */
  readonly userCode: string;
}

/**
 * Makes the codes of a device.
 *
 *     device ─► issueDeviceCodes ─► pending ── the person approves ─► approved ── the device polls ─► redeemed ─► grant
 *                                     │  │                               │                               │ again: the grant ends,
 *                                     │  └─ the person refuses ─► denied │                               │ and within 30 seconds
 *                                     └──────────── 10 minutes ──────────┴─► expired                     └─► another one begins
 */
export async function issueDeviceCodes(
  context: ServiceContext,
  request: DeviceRequest,
): Promise<DeviceCodes> {
  const store = new DeviceCodeStore(context);
  const deviceCode = newOpaqueToken();
  const nowMs = toMillis(context.clock());
  for (let draw = 0; draw < DRAWS_MAX; draw++) {
    const userCode = newUserCode();
    const isFree = await store.insert({
      hash: hashToken(deviceCode),
      userCode,
      clientId: request.clientId,
      scopes: request.scopes.join(" "),
      membership: request.membership ?? null,
      hintedSubject: request.hintedSubject ?? null,
      address: request.address,
      state: "pending",
      subject: null,
      authTime: null,
      nextPollMs: nowMs,
      createdMs: nowMs,
      expiresMs: nowMs + DEVICE_CODE_LIFETIME_MS + EXPIRED_KEPT_MS,
      grantId: null,
      redeemedMs: null,
    });
    if (isFree) return { deviceCode, userCode };
  }
  throw new Error("every user code that was drawn is taken");
}

/** A new user code without its hyphen: one of 20^8, about 34 bits. */
const newUserCode = (): string =>
  Array.from(
    { length: USER_CODE_LENGTH },
    () => USER_CODE_ALPHABET[randomInt(USER_CODE_ALPHABET.length)],
  ).join("");

/** A poll of a device, whose client is authenticated. */
export interface DevicePoll {
  readonly deviceCode: string;
  readonly clientId: string;
  /** The kind of membership token that the poll's `resource` names; undefined if it names none. */
  readonly membership: MembershipKind | undefined;
}

/**
 * Answers a poll: the grant if the person has approved. A device code has one grant: a second redemption ends the grant of the first with all
 * its tokens, because the code may have leaked. Within `ANSWER_LOST_MS_MAX` it gets another grant, because the first answer may have been
 * lost on its way; whoever has it notices by the end of its tokens. Throws `OAuthError`, also `authorization_pending` and `slow_down`.
 */
export async function pollDeviceCode(context: ServiceContext, poll: DevicePoll): Promise<Grant> {
  const store = new DeviceCodeStore(context);
  const code = await store.find(hashToken(poll.deviceCode));
  if (code === undefined || code.clientId !== poll.clientId) throw invalidCode();
  if (poll.membership !== undefined && poll.membership !== code.membership) {
    throw new OAuthError("invalid_target", "the device code is for another resource");
  }
  const nowMs = toMillis(context.clock());
  if (code.grantId !== null && !isAnswerRecent(code, nowMs)) {
    await GrantStore.from(context).revokeGrant(code.grantId);
    throw invalidCode();
  }
  if (code.grantId === null && !isLive(code, nowMs)) throw new OAuthError("expired_token");
  if (code.state === "denied") throw new OAuthError("access_denied");
  // A poll that is too early writes nothing.
  if (isTooEarly(code, nowMs) || !(await store.takePoll(code, nowMs))) {
    throw new OAuthError("slow_down");
  }
  if (code.state === "pending") throw new OAuthError("authorization_pending");
  return claim(context, code, nowMs);
}

const isAnswerRecent = ({ redeemedMs }: DeviceCodeRow, nowMs: number): boolean =>
  redeemedMs !== null && Math.abs(nowMs - redeemedMs) < ANSWER_LOST_MS_MAX;

async function claim(context: ServiceContext, code: DeviceCodeRow, nowMs: number): Promise<Grant> {
  const { clientId, subject, authTime, membership } = code;
  assert(subject !== null && authTime !== null, "an approved device code has a person");
  const { made, ...begun } = beginGrant(context, code.scopes);
  if (!(await new DeviceCodeStore(context).redeem(code, made, nowMs))) throw invalidCode();
  return { ...begun, clientId, subject, authTime, membership, nonce: undefined };
}

/** The refusal of a device code. It gives no reason, because the client may not be the one that has asked for the code. */
const invalidCode = () => new OAuthError("invalid_grant", "invalid device code");
