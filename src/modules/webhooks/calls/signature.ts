import { createHmac } from "node:crypto";
import { type Secrets, validSecrets } from "#modules/webhooks/core/secrets.ts";
import { fromMillis } from "#platform/time.ts";

export interface SignedMessage {
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: string;
}

/**
 * A secret that signs messages. It does so at once: with WebCrypto and keys that exist the two signatures of a delivery take no
 * less time, and a chain of promises more.
 */
export class SigningSecret {
  readonly #text: Uint8Array;
  readonly #bytes: Uint8Array;

  constructor(secret: string) {
    this.#text = Buffer.from(secret);
    this.#bytes = Buffer.from(secret, "base64");
  }

  /**
   * A signature of `formance-webhook-signature`, and one of `webhook-signature`. The key of the first is the base64 text of
   * the secret itself: verifiers that clients have embedded do the same. The key of the second is the bytes that it encodes, as
   * Standard Webhooks has it.
   */
  sign({ id, timestampSeconds, body }: SignedMessage): { reference: string; standard: string } {
    const signed = ENCODER.encode(`${id}.${timestampSeconds}.${body}`);
    return { reference: signWith(this.#text, signed), standard: signWith(this.#bytes, signed) };
  }
}

const ENCODER = new TextEncoder();

/** The secrets of a config, ready to sign. */
export class SigningSecrets {
  readonly #secrets: Secrets;
  readonly #ready = new Map<string, SigningSecret>();

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** Those that are valid at a time, in milliseconds since the epoch, newest first. */
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
 * The headers by which an endpoint knows that a request comes from here, unchanged: those of the reference, and those of
 * Standard Webhooks. Each of the secrets signs, so that an endpoint may know any one of them.
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
