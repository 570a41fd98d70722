import { type Secrets, validSecrets } from "./core/secrets.ts";
import { fromMillis } from "#platform/time.ts";

export interface SignedMessage {
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: string;
}

const ALGORITHM = { name: "HMAC", hash: "SHA-256" };

/**
 * A secret that signs messages. Its keys are made once, because a delivery signs with each of them: WebCrypto with a key that
 * exists takes a third of the time of `createHmac`.
 */
export class SigningSecret {
  readonly #secret: string;
  #keys: Promise<{ text: CryptoKey; bytes: CryptoKey }> | undefined;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /**
   * A signature of `formance-webhook-signature`, and one of `webhook-signature`. The key of the first is the base64 text of
   * the secret itself: verifiers that clients have embedded do the same. The key of the second is the bytes that it encodes, as
   * Standard Webhooks has it.
   */
  async sign(message: SignedMessage): Promise<{ reference: string; standard: string }> {
    this.#keys ??= importKeys(this.#secret);
    const { text, bytes } = await this.#keys;
    const { id, timestampSeconds, body } = message;
    const signed = Buffer.from(`${id}.${timestampSeconds}.${body}`);
    const [reference, standard] = await Promise.all([
      signWith(text, signed),
      signWith(bytes, signed),
    ]);
    return { reference, standard };
  }
}

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
export async function signatureHeaders(
  secrets: readonly SigningSecret[],
  message: SignedMessage,
): Promise<Record<string, string>> {
  const { id } = message;
  const timestamp = String(message.timestampSeconds);
  const signatures = await Promise.all(secrets.map((secret) => secret.sign(message)));
  return {
    "formance-webhook-id": id,
    "formance-webhook-timestamp": timestamp,
    "formance-webhook-signature": signatures.map(({ reference }) => reference).join(" "),
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.map(({ standard }) => standard).join(" "),
  };
}

async function importKeys(secret: string): Promise<{ text: CryptoKey; bytes: CryptoKey }> {
  const [text, bytes] = await Promise.all([
    importKey(Buffer.from(secret)),
    importKey(Buffer.from(secret, "base64")),
  ]);
  return { text, bytes };
}

const importKey = (key: Uint8Array): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", key, ALGORITHM, false, ["sign"]);

async function signWith(key: CryptoKey, message: Uint8Array): Promise<string> {
  const signature = await crypto.subtle.sign(ALGORITHM.name, key, message);
  return `v1,${Buffer.from(signature).toString("base64")}`;
}
