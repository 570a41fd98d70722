import { Buffer } from "node:buffer";
import { z } from "zod";
import { OperatorError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";
import { keyIdOf } from "#platform/secrets/secrets.ts";

/** The keys of a deployment: the one that encrypts, and earlier ones that may have. */
export const DeploymentKeys = z.object({
  FLORIN_SECRET_KEY: z.string(),
  FLORIN_PREVIOUS_SECRET_KEYS: z.array(z.string()),
});
export type DeploymentKeys = z.output<typeof DeploymentKeys>;

const Scrypt = z.object({
  method: z.literal("scrypt"),
  salt: z.base64(),
  N: z.literal(131_072),
  r: z.literal(8),
  p: z.literal(1),
});
const X25519 = z.object({
  method: z.literal("x25519"),
  /** The public key of the pair that was made for this file, in SPKI. */
  ephemeral: z.base64(),
});

/** Keys that only a passphrase or a private key opens. */
export const WrappedKeys = z.object({
  format: z.literal(1),
  /** How the key of AES-256-GCM is found. */
  wrapping: z.discriminatedUnion("method", [Scrypt, X25519]),
  nonce: z.base64(),
  ciphertext: z.base64(),
  tag: z.base64(),
  /** The ids of the keys, which ciphertexts in the database name. They reveal nothing of the keys. */
  keyIds: z.array(z.string()),
});
export type WrappedKeys = z.output<typeof WrappedKeys>;

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BITS = 256;
/** Binds a key to its use. */
export const PURPOSE = "florin backup keys";

export const keyIdsOf = ({
  FLORIN_SECRET_KEY: current,
  FLORIN_PREVIOUS_SECRET_KEYS: previous,
}: DeploymentKeys): string[] => [current, ...previous].map(keyIdOf);

/** What the tag covers besides the ciphertext: `[format, method, parameters of the method …, ids of the keys]` as JSON. */
export function authenticated({
  format,
  wrapping,
  keyIds,
}: Pick<WrappedKeys, "format" | "wrapping" | "keyIds">): Buffer<ArrayBuffer> {
  const parameters =
    wrapping.method === "scrypt"
      ? [wrapping.salt, wrapping.N, wrapping.r, wrapping.p]
      : [wrapping.ephemeral];
  return Buffer.from(stringifyJson([format, wrapping.method, ...parameters, keyIds]));
}

/** The DER of a public key in PEM (RFC 7468), which may have other text around it, as that of `openssl pkey -text`. Throws `OperatorError` for a text that is none. */
function spkiOf(pem: string): Buffer<ArrayBuffer> {
  const [, base64] =
    /-----BEGIN PUBLIC KEY-----([A-Za-z\d+/=\s]+)-----END PUBLIC KEY-----/.exec(pem) ?? [];
  if (base64 === undefined) throw new OperatorError("The text is no public key in PEM.");
  return Buffer.from(base64, "base64");
}

const { subtle } = crypto;
const X25519_NAME = { name: "X25519" } as const;

/** Imports a public key of X25519 in PEM. Throws `OperatorError` for a key of another kind. */
async function importPublicKey(pem: string): Promise<CryptoKey> {
  const spki = spkiOf(pem);
  try {
    return await subtle.importKey("spki", spki, X25519_NAME, true, []);
  } catch (cause) {
    throw new OperatorError(
      "The public key is none of X25519. Make a pair: openssl genpkey -algorithm X25519 -out backup.key && openssl pkey -in backup.key -pubout -out backup.pub",
      { cause },
    );
  }
}

/**
 * Wraps keys to a public key of X25519 in PEM:
 *
 *     X25519 (RFC 7748) with a new pair ─ HKDF-SHA-256 (RFC 5869) ─► AES-256-GCM (keys) ─► ciphertext, tag
 *
 * The tag covers what the file says of itself, too. The salt of HKDF has both public keys, so that a shared secret is of these two alone.
 * Throws `OperatorError` for a public key of another kind, and for one of low order (RFC 7748, section 6.1), with which all share one secret.
 */
export async function wrapToPublicKey(keys: DeploymentKeys, pem: string): Promise<WrappedKeys> {
  const recipient = await importPublicKey(pem);
  // The type of `generateKey` does not know that this algorithm makes a pair.
  const pair = (await subtle.generateKey(X25519_NAME, true, ["deriveBits"])) as CryptoKeyPair;
  const [own, other] = [await exported(pair.publicKey), await exported(recipient)];
  const shared = await agree(pair.privateKey, recipient);
  const material = await subtle.importKey("raw", shared, "HKDF", false, ["deriveKey"]);
  const secret = await subtle.deriveKey(
    {
      name: "HKDF",
      hash: "SHA-256",
      salt: Buffer.concat([own, other]),
      info: Buffer.from(PURPOSE),
    },
    material,
    { name: "AES-GCM", length: KEY_BITS },
    false,
    ["encrypt"],
  );
  const wrapping = { method: "x25519" as const, ephemeral: own.toString("base64") };
  const described = { format: 1 as const, wrapping, keyIds: keyIdsOf(keys) };
  const nonce = crypto.getRandomValues(Buffer.alloc(NONCE_BYTES));
  const sealed = Buffer.from(
    await subtle.encrypt(
      { name: "AES-GCM", iv: nonce, additionalData: authenticated(described) },
      secret,
      Buffer.from(stringifyJson(keys)),
    ),
  );
  return {
    ...described,
    nonce: nonce.toString("base64"),
    ciphertext: sealed.subarray(0, -TAG_BYTES).toString("base64"),
    tag: sealed.subarray(-TAG_BYTES).toString("base64"),
  };
}

const exported = async (key: CryptoKey): Promise<Buffer<ArrayBuffer>> =>
  // An export as `spki` gives bytes.
  Buffer.from((await subtle.exportKey("spki", key)) as ArrayBuffer);

async function agree(privateKey: CryptoKey, recipient: CryptoKey): Promise<ArrayBuffer> {
  try {
    const algorithm = { ...X25519_NAME, public: recipient };
    const shared = await subtle.deriveBits(algorithm, privateKey, KEY_BITS);
    if (new Uint8Array(shared).some((byte) => byte !== 0)) return shared;
  } catch {
    // The same as a secret of zeros.
  }
  throw new OperatorError("The public key is none that keys can be wrapped to.");
}
