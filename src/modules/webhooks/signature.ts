import { createHmac } from "node:crypto";

export interface SignedMessage {
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: string;
}

/**
 * The headers by which an endpoint knows that a request comes from here, unchanged: those of the reference, and those of
 * Standard Webhooks. Each of the secrets signs, so that an endpoint may know any one of them.
 */
export function signatureHeaders(
  secrets: readonly string[],
  message: SignedMessage,
): Record<string, string> {
  const { id } = message;
  const timestamp = String(message.timestampSeconds);
  return {
    "formance-webhook-id": id,
    "formance-webhook-timestamp": timestamp,
    "formance-webhook-signature": secrets.map((secret) => sign(secret, message)).join(" "),
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => signStandard(secret, message)).join(" "),
  };
}

/**
 * One signature of `formance-webhook-signature`. The key is the base64 text of the secret itself, not the bytes that it
 * encodes: verifiers that clients have embedded do the same.
 */
export const sign = (secret: string, message: SignedMessage): string => signWith(secret, message);

/** One signature of `webhook-signature`. The key is the bytes that the secret encodes, as Standard Webhooks has it. */
export const signStandard = (secret: string, message: SignedMessage): string =>
  signWith(Buffer.from(secret, "base64"), message);

/** `node:crypto` signs at once; WebCrypto would need a promise for each signature. */
function signWith(key: string | Buffer, { id, timestampSeconds, body }: SignedMessage): string {
  const signed = `${id}.${timestampSeconds}.${body}`;
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}
