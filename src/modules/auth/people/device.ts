import { createHmac, timingSafeEqual } from "node:crypto";
import { newOpaqueToken } from "#modules/auth/grants/opaque-token.ts";
import { memoByEnv } from "#platform/memo.ts";
import { platformSettings } from "#platform/platform-settings.ts";
import { deriveKeys } from "#platform/secrets/secrets.ts";

/** How long a device cookie is valid, in milliseconds. */
export const DEVICE_MS = 90 * 24 * 3_600_000;

/** A person with a password: the id, and the stored form of the password. */
export interface PasswordOwner {
  readonly id: string;
  readonly password: string;
}

const keysOf = memoByEnv((env: object) => deriveKeys(platformSettings.of(env), "device cookie"));

/**
 * The value of a device cookie, which shows that a person has logged in with a browser before:
 *
 *     <id of the device>.<end, in milliseconds>.<HMAC-SHA-256>
 *                                                  │
 *                       key: HKDF of FLORIN_SECRET_KEY, purpose "device cookie"
 *                       text: device, end, id of the person, stored form of the password
 *
 * The signature is valid for one person and one password: a new password has another salt, which ends it. Nothing is stored, and
 * the cookie alone logs nobody in. It only decides whose wrong passwords count together.
 */
export function signDevice(env: object, owner: PasswordOwner, nowMs: number): string {
  const claim = `${newOpaqueToken()}.${nowMs + DEVICE_MS}`;
  const [current] = keysOf(env);
  return `${claim}.${signatureOf(claim, owner, current).toString("base64url")}`;
}

/** The id of the device of a cookie; undefined unless the cookie is valid, of this person, and signed for the person's present password. */
export function verifyDeviceCookie(
  env: object,
  cookie: string | undefined,
  { owner, nowMs }: { readonly owner: PasswordOwner | undefined; readonly nowMs: number },
): string | undefined {
  const [, claim = "", device, end, text = ""] =
    /^(([\w-]{43})\.(\d{13,15}))\.([\w-]{43})$/.exec(cookie ?? "") ?? [];
  if (owner === undefined || device === undefined) return undefined;
  const leftMs = Number(end) - nowMs;
  if (leftMs <= 0 || leftMs > DEVICE_MS) return undefined;
  const signature = Buffer.from(text, "base64url");
  const isGood = keysOf(env).some((key) =>
    timingSafeEqual(signatureOf(claim, owner, key), signature),
  );
  return isGood ? device : undefined;
}

const signatureOf = (claim: string, { id, password }: PasswordOwner, key: Buffer): Buffer =>
  createHmac("sha256", key).update([claim, id, password].join("\n")).digest();
