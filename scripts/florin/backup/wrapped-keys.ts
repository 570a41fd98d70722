import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
  scryptSync,
} from "node:crypto";
import { z } from "zod";
import { keyIdOf } from "#platform/secrets/secrets.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** The keys of a deployment: the one that encrypts, and earlier ones that may have. */
const DeploymentKeys = z.object({
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

/** What the keys are wrapped to. */
export type Recipient =
  | { readonly passphrase: string }
  /** A public key of X25519 in PEM. */
  | { readonly publicKey: string };

/** What opens wrapped keys. */
export type Opener =
  | { readonly passphrase: string }
  /** A private key of X25519 in PEM. */
  | { readonly privateKey: string };

/** The costs of scrypt (RFC 7914): 128 MiB and about half a second, once for each backup. */
const COSTS = { N: 131_072, r: 8, p: 1 } as const;
/** Most memory that scrypt may take, in bytes: more than `128 * N * r`. */
const SCRYPT_BYTES_MAX = 200_000_000;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";
/** Binds a key to its use. */
const PURPOSE = "florin backup keys";

/**
 * Wraps keys:
 *
 *     passphrase ─ scrypt (RFC 7914) ───────────────────────────┐
 *                                                               ├─► AES-256-GCM (keys) ─► ciphertext, tag
 *     public key ─ X25519 with a new pair ─ HKDF (RFC 5869) ────┘
 *
 * The tag covers what the file says of itself, too. The salt of HKDF has both public keys, so that a shared secret is of these two alone.
 * Throws `OperatorError` for a public key of another kind.
 */
export function wrapKeys(keys: DeploymentKeys, recipient: Recipient): WrappedKeys {
  const { wrapping, secret } =
    "passphrase" in recipient
      ? fromPassphrase(recipient.passphrase)
      : toPublicKey(recipient.publicKey);
  const nonce = randomBytes(NONCE_BYTES);
  const described = { format: 1 as const, wrapping, keyIds: keyIdsOf(keys) };
  const cipher = createCipheriv(CIPHER, secret, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(authenticated(described));
  const ciphertext = Buffer.concat([cipher.update(JSON.stringify(keys), "utf8"), cipher.final()]);
  return {
    ...described,
    nonce: nonce.toString("base64"),
    ciphertext: ciphertext.toString("base64"),
    tag: cipher.getAuthTag().toString("base64"),
  };
}

/** What the tag covers besides the ciphertext: `[format, method, parameters of the method …, ids of the keys]` as JSON. */
function authenticated({
  format,
  wrapping,
  keyIds,
}: Pick<WrappedKeys, "format" | "wrapping" | "keyIds">): Buffer {
  const parameters =
    wrapping.method === "scrypt"
      ? [wrapping.salt, wrapping.N, wrapping.r, wrapping.p]
      : [wrapping.ephemeral];
  return Buffer.from(JSON.stringify([format, wrapping.method, ...parameters, keyIds]));
}

export const keyIdsOf = ({
  FLORIN_SECRET_KEY: current,
  FLORIN_PREVIOUS_SECRET_KEYS: previous,
}: DeploymentKeys): string[] => [current, ...previous].map(keyIdOf);

/** Opens wrapped keys. Throws `OperatorError` for a wrong passphrase or private key, and for a file that was changed. */
export function openKeys(wrapped: WrappedKeys, opener: Opener): DeploymentKeys {
  const secret = secretOf(wrapped, opener);
  const bytes = (text: string): Buffer => Buffer.from(text, "base64");
  try {
    const nonce = bytes(wrapped.nonce);
    if (nonce.length !== NONCE_BYTES) throw new RangeError(`a nonce of ${nonce.length} bytes`);
    const decipher = createDecipheriv(CIPHER, secret, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(authenticated(wrapped));
    decipher.setAuthTag(bytes(wrapped.tag));
    const text = Buffer.concat([decipher.update(bytes(wrapped.ciphertext)), decipher.final()]);
    return DeploymentKeys.parse(JSON.parse(text.toString("utf8")));
  } catch (cause) {
    throw new OperatorError(
      "The keys cannot be opened: the passphrase or the private key is another one, or the file was changed.",
      { cause },
    );
  }
}

function fromPassphrase(passphrase: string) {
  const salt = randomBytes(KEY_BYTES);
  const wrapping = { method: "scrypt" as const, salt: salt.toString("base64"), ...COSTS };
  return { wrapping, secret: derive(passphrase, salt, COSTS) };
}

const derive = (
  passphrase: string,
  salt: Buffer,
  costs: { readonly N: number; readonly r: number; readonly p: number },
): Buffer =>
  scryptSync(passphrase.normalize("NFC"), salt, KEY_BYTES, { ...costs, maxmem: SCRYPT_BYTES_MAX });

function toPublicKey(pem: string) {
  const recipient = keyOf(pem, createPublicKey, "public");
  const pair = generateKeyPairSync("x25519");
  const ephemeral = pair.publicKey.export({ type: "spki", format: "der" });
  const shared = agree(pair.privateKey, recipient);
  return {
    wrapping: { method: "x25519" as const, ephemeral: ephemeral.toString("base64") },
    secret: expand(shared, Buffer.concat([ephemeral, spkiOf(recipient)])),
  };
}

const spkiOf = (publicKey: KeyObject): Buffer => publicKey.export({ type: "spki", format: "der" });

/** The shared secret of two keys. Throws `OperatorError` for a public key of low order (RFC 7748, section 6.1), with which all share one. */
function agree(privateKey: KeyObject, publicKey: KeyObject): Buffer {
  try {
    return diffieHellman({ privateKey, publicKey });
  } catch (cause) {
    throw new OperatorError("The public key is none that keys can be wrapped to.", { cause });
  }
}

const expand = (shared: Buffer, salt: Buffer): Buffer =>
  Buffer.from(hkdfSync("sha256", shared, salt, PURPOSE, KEY_BYTES));

function secretOf({ wrapping }: WrappedKeys, opener: Opener): Buffer {
  if (wrapping.method === "scrypt") {
    if (!("passphrase" in opener))
      throw new OperatorError(
        "The keys were wrapped to a passphrase: name its file with --passphrase-file.",
      );
    return derive(opener.passphrase, Buffer.from(wrapping.salt, "base64"), wrapping);
  }
  if (!("privateKey" in opener))
    throw new OperatorError(
      "The keys were wrapped to a public key: name the file of its private key with --private-key-file.",
    );
  const ephemeral = Buffer.from(wrapping.ephemeral, "base64");
  const privateKey = keyOf(opener.privateKey, createPrivateKey, "private");
  const salt = Buffer.concat([ephemeral, spkiOf(createPublicKey(privateKey))]);
  return expand(agree(privateKey, ephemeralOf(ephemeral)), salt);
}

function ephemeralOf(spki: Buffer): KeyObject {
  try {
    const key = createPublicKey({ key: spki, type: "spki", format: "der" });
    if (key.asymmetricKeyType === "x25519") return key;
  } catch {
    // The bytes are no public key at all.
  }
  throw new OperatorError("The file with the wrapped keys has no public key of X25519.");
}

function keyOf(pem: string, create: (pem: string) => KeyObject, kind: string): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = create(pem);
  } catch (cause) {
    throw new OperatorError(`The file is no ${kind} key in PEM.`, { cause });
  }
  if (key.asymmetricKeyType === "x25519") return key;
  throw new OperatorError(
    `The ${kind} key is of the kind ${key.asymmetricKeyType ?? "unknown"}. Make a pair of X25519: openssl genpkey -algorithm X25519 -out backup.key && openssl pkey -in backup.key -pubout -out backup.pub`,
  );
}
