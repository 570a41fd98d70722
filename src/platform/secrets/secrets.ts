import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { memoByEnv } from "#platform/memo.ts";
import { type PlatformSettings, platformSettings } from "#platform/platform-settings.ts";

/**
 * Encrypts secrets at rest with AES-256-GCM, so that a dump of the database does not reveal them. Every ciphertext names its key, so that
 * `FLORIN_SECRET_KEY` can be replaced while `FLORIN_PREVIOUS_SECRET_KEYS` still decrypt older ciphertexts:
 *
 *     v1 . key id . base64url of | nonce, 12 bytes | ciphertext | tag, 16 bytes |
 */
export class SecretBox {
  static readonly from = memoByEnv((env: object) => new SecretBox(platformSettings.of(env)));

  readonly #current: BoxKey;
  readonly #keys: ReadonlyMap<string, BoxKey>;

  constructor(
    settings: Pick<PlatformSettings, "FLORIN_SECRET_KEY" | "FLORIN_PREVIOUS_SECRET_KEYS">,
  ) {
    this.#current = toBoxKey(settings.FLORIN_SECRET_KEY);
    const keys = [this.#current, ...settings.FLORIN_PREVIOUS_SECRET_KEYS.map(toBoxKey)];
    this.#keys = new Map(keys.map((key) => [key.id, key]));
  }

  /** The id of the key that encrypts: a part of a hash, which reveals nothing of the key. */
  get keyId(): string {
    return this.#current.id;
  }

  /** Encrypts a text. The ciphertext can only be decrypted for the same purpose, so that ciphertexts cannot be swapped between places. */
  seal(text: string, purpose: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#current.secret, nonce);
    cipher.setAAD(Buffer.from(purpose));
    const encrypted = [cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
    const sealed = Buffer.concat([nonce, ...encrypted]).toString("base64url");
    return [FORMAT, this.#current.id, sealed].join(".");
  }

  /** Decrypts a ciphertext of `seal`. Throws if its key is not among the settings, or if the ciphertext was changed. */
  open(sealed: string, purpose: string): string {
    const [format, keyId = "", data = ""] = sealed.split(".");
    const bytes = Buffer.from(data, "base64url");
    if (format !== FORMAT || bytes.length < NONCE_BYTES + TAG_BYTES) {
      throw new Error(`the stored value of ${purpose} is not a ciphertext`);
    }
    const key = this.#keys.get(keyId);
    if (key === undefined) {
      throw new Error(
        `the stored value of ${purpose} was encrypted with the key ${keyId}, which is neither in FLORIN_SECRET_KEY nor in FLORIN_PREVIOUS_SECRET_KEYS`,
      );
    }
    try {
      return decrypt(bytes, key, purpose);
    } catch (cause) {
      throw new Error(`the stored value of ${purpose} was changed or belongs elsewhere`, { cause });
    }
  }

  /** Whether the settings have the key of a ciphertext. */
  hasKeyOf(sealed: string): boolean {
    return this.#keys.has(sealed.split(".")[1] ?? "");
  }

  /** Whether a ciphertext was made with the current key; if not, it should be opened and sealed again. */
  isCurrent(sealed: string): boolean {
    return sealed.startsWith(`${FORMAT}.${this.#current.id}.`);
  }
}

/** The id of a key, given as base64, that ciphertexts name. */
export const keyIdOf = (base64: string): string => toBoxKey(base64).id;

/** The ids of the keys of all ciphertexts that are whole texts in a JSON. */
export const keyIdsIn = (json: string): string[] =>
  [...json.matchAll(SEALED_TEXT)].map(([, keyId = ""]) => keyId);

/** Length of a derived key, in bytes. */
const DERIVED_KEY_BYTES = 32;

/**
 * Keys for one purpose, derived by HKDF (RFC 5869): first the key from `FLORIN_SECRET_KEY`, which signs new texts, then those from the
 * previous keys, which may have signed older texts.
 */
export const deriveKeys = (
  {
    FLORIN_SECRET_KEY: current,
    FLORIN_PREVIOUS_SECRET_KEYS: previous,
  }: Pick<PlatformSettings, "FLORIN_SECRET_KEY" | "FLORIN_PREVIOUS_SECRET_KEYS">,
  purpose: string,
): readonly [Buffer, ...Buffer[]] => {
  const derive = (base64: string): Buffer =>
    Buffer.from(
      hkdfSync("sha256", Buffer.from(base64, "base64"), "", `florin ${purpose}`, DERIVED_KEY_BYTES),
    );
  return [derive(current), ...previous.map(derive)];
};

interface BoxKey {
  readonly id: string;
  readonly secret: Buffer;
}

const ALGORITHM = "aes-256-gcm";
const FORMAT = "v1";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 6;

const SEALED_TEXT = /"v1\.([0-9a-f]{12})\.[\w-]{38,}"/g;

function toBoxKey(base64: string): BoxKey {
  const secret = Buffer.from(base64, "base64");
  // A key has 256 random bits, so that a part of its hash reveals nothing about the key.
  const id = createHash("sha256").update("florin key id").update(secret).digest();
  return { id: id.subarray(0, KEY_ID_BYTES).toString("hex"), secret };
}

function decrypt(bytes: Buffer, key: BoxKey, purpose: string): string {
  const decipher = createDecipheriv(ALGORITHM, key.secret, bytes.subarray(0, NONCE_BYTES));
  decipher.setAAD(Buffer.from(purpose));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const encrypted = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
  return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString("utf8");
}
