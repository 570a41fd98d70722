import { createHmac } from "node:crypto";
import { type Secrets, validSecrets } from "#modules/webhooks/core/secrets.ts";
import { fromMillis } from "#platform/time.ts";

export interface SignedMessage {
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: string;
}

/**
 * A secret that signs messages, synchronously. WebCrypto with imported keys takes as long for the two signatures of a delivery,
 * and adds a chain of promises.
 */
export class SigningSecret {
  readonly #text: Uint8Array;
  readonly #bytes: Uint8Array;

  constructor(secret: string) {
    this.#text = Buffer.from(secret);
    this.#bytes = Buffer.from(secret, "base64");
  }

  /**
   * The values of `formance-webhook-signature` and `webhook-signature` (HMAC-SHA-256). The key of the first is the base64 text of
   * the secret itself, as in the verifiers that clients have embedded. The key of the second is the bytes that this text encodes,
   * as in Standard Webhooks.
   */
  sign({ id, timestampSeconds, body }: SignedMessage): { reference: string; standard: string } {
    const signed = ENCODER.encode(`${id}.${timestampSeconds}.${body}`);
    return { reference: signWith(this.#text, signed), standard: signWith(this.#bytes, signed) };
  }
}

const ENCODER = new TextEncoder();

/** The secrets of a config, each prepared for signing once. */
export class SigningSecrets {
  readonly #secrets: Secrets;
  readonly #ready = new Map<string, SigningSecret>();

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** The secrets that are valid at a time, in milliseconds since the epoch, newest first. */
  validAt(nowMs: number): SigningSecret[] {
    const { current, previous } = this.#secrets;
    const valid =
      previous.length === 0 ? [current] : validSecrets(this.#secrets, fromMillis(nowMs));
    return valid.map((secret) => this.#readyOf(secret));
  }

  #readyOf(secret: string): SigningSecret {
    const ready = this.#ready.get(secret) ?? new SigningSecret(secret);
    this.#ready.set(secret, ready);
    return ready;
  }
}

/**
 * The headers by which an endpoint verifies the origin and the integrity of a request, in the reference's scheme and in that of
 * Standard Webhooks. Every secret signs, so an endpoint needs to know only one of them.
 */
export function signatureHeaders(
  secrets: readonly SigningSecret[],
  message: SignedMessage,
): Record<string, string> {
  const { id } = message;
  const timestamp = String(message.timestampSeconds);
  const signatures = secrets.map((secret) => secret.sign(message));
  return {
    "formance-webhook-id": id,
    "formance-webhook-timestamp": timestamp,
    "formance-webhook-signature": signatures.map(({ reference }) => reference).join(" "),
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.map(({ standard }) => standard).join(" "),
  };
}

const signWith = (key: Uint8Array, message: Uint8Array): string =>
  `v1,${createHmac("sha256", key).update(message).digest("base64")}`;
