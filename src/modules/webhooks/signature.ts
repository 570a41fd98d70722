import { createHmac } from "node:crypto";

/**
 * The value of `formance-webhook-signature`. The key is the base64 text of the secret itself, not the bytes that it
 * encodes: verifiers that clients have embedded do the same.
 */
export function sign(secret: string, message: SignedMessage): string {
  const signed = `${message.id}.${message.timestampSeconds}.${message.body}`;
  return `v1,${createHmac("sha256", secret).update(signed).digest("base64")}`;
}

export interface SignedMessage {
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: string;
}
