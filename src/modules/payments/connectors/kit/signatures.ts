import { createHmac, createPublicKey, createHash, timingSafeEqual, verify } from "node:crypto";
import { given } from "#modules/payments/core/given.ts";
import { type Timestamp, toMillis } from "#platform/time.ts";

/** Whether two texts are equal, compared in constant time. */
export function isSameText(one: string, other: string): boolean {
  // Digests have equal lengths, which the comparison requires.
  return timingSafeEqual(digest(one), digest(other));
}

const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest();

export interface Hmac {
  readonly key: string | Uint8Array;
  readonly text: string;
  readonly encoding: "hex" | "base64";
}

/** The HMAC of a text with SHA-256. */
export const hmacSha256 = ({ key, text, encoding }: Hmac): string =>
  createHmac("sha256", key).update(text).digest(encoding);

/** Whether one of some signatures is the HMAC of the text. */
export function isSignedBy(hmac: Hmac, signatures: readonly string[]): boolean {
  const expected = hmacSha256(hmac);
  // All signatures are compared, so that the time does not reveal which one fits.
  return signatures.filter((signature) => isSameText(signature, expected)).length > 0;
}

/** The SHA-256 of a text. */
export const sha256 = (text: string, encoding: "hex" | "base64"): string =>
  createHash("sha256").update(text).digest(encoding);

/**
 * A reference as an idempotency key in a header: the reference itself, or its SHA-256 if it is too long or not printable ASCII without
 * spaces.
 */
export const headerKey = (reference: string, lengthMax: number): string =>
  reference.length <= lengthMax && /^[\x21-\x7e]+$/.test(reference)
    ? reference
    : sha256(reference, "hex");

/** The time and the signatures of a header of the form `t=…,v1=…,v1=…`. */
export interface TimedSignature {
  readonly time: string;
  readonly signatures: readonly string[];
}

/** Parses a header of the form `t=…,v1=…,v1=…`; undefined for a header that is absent or has no time. */
export function parseTimedSignature(header: string | undefined): TimedSignature | undefined {
  const pairs = (header ?? "").split(",").map((part) => {
    const at = part.indexOf("=");
    return { name: part.slice(0, Math.max(at, 0)).trim(), value: part.slice(at + 1).trim() };
  });
  const time = pairs.find(({ name }) => name === "t")?.value;
  if (time === undefined || time === "") return undefined;
  return { time, signatures: pairs.flatMap(({ name, value }) => (name === "v1" ? [value] : [])) };
}

/** Greatest difference between the time of a signature and now, in milliseconds. */
const TOLERANCE_MS = 300_000;

/** Whether a signature was made within the tolerance: an older one may belong to a replayed delivery. */
export const isRecent = (madeAt: Timestamp, now: Timestamp): boolean =>
  Math.abs(toMillis(now) - toMillis(madeAt)) <= TOLERANCE_MS;

/** Whether a base64 signature of a text (RSASSA-PKCS1-v1_5 with SHA-256) is valid for a public key in PEM. */
export function isRsaSigned(
  publicKey: string,
  { text, signature }: { readonly text: string; readonly signature: string },
): boolean {
  try {
    // The runtime accepts no padding option beside a key object; PKCS #1 v1.5 is the default of RSA keys.
    const key = createPublicKey(publicKey);
    if (key.asymmetricKeyType !== "rsa") return false;
    return verify("sha256", Buffer.from(text), key, Buffer.from(signature, "base64"));
  } catch {
    return false; // a malformed key or signature verifies nothing
  }
}

/** Whether a signature of a text (ES256 of RFC 7518: ECDSA with P-256 and SHA-256) is valid for a public key as JWK. */
export async function isEs256Signed(
  key: JsonWebKey,
  { text, signature }: { readonly text: string; readonly signature: Buffer<ArrayBuffer> },
): Promise<boolean> {
  try {
    const { crv, kty, x, y } = key;
    const form = { name: "ECDSA", namedCurve: "P-256" };
    const imported = await crypto.subtle.importKey(
      "jwk",
      { ...given({ crv, kty, x, y }) },
      form,
      false,
      ["verify"],
    );
    const scheme = { name: "ECDSA", hash: "SHA-256" };
    return await crypto.subtle.verify(scheme, imported, signature, Buffer.from(text));
  } catch {
    return false; // a malformed key or signature verifies nothing
  }
}

/** The user and password of an `Authorization` header of basic authentication; undefined for any other header. */
export function parseBasicAuth(
  header: string | undefined,
): { readonly username: string; readonly password: string } | undefined {
  const [scheme = "", encoded = ""] = (header ?? "").trim().split(/\s+/, 2);
  if (scheme.toLowerCase() !== "basic") return undefined;
  const text = Buffer.from(encoded, "base64").toString();
  const at = text.indexOf(":");
  return at < 0 ? undefined : { username: text.slice(0, at), password: text.slice(at + 1) };
}

/** The value of an `Authorization` header of basic authentication. */
export const basicAuth = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
