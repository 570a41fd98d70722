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
  N: z.int(),
  r: z.int(),
  p: z.int(),
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
const COSTS = { N: 131_072, r: 8, p: 1 };
/** Most memory that scrypt may take, in bytes: more than `128 * N * r`. */
const SCRYPT_BYTES_MAX = 200_000_000;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
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
 * Throws `OperatorError` for a public key of another kind.
 */
export function wrapKeys(keys: DeploymentKeys, recipient: Recipient): WrappedKeys {
  const { wrapping, secret } =
    "passphrase" in recipient
      ? fromPassphrase(recipient.passphrase)
      : toPublicKey(recipient.publicKey);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, secret, nonce);
  const ciphertext = Buffer.concat([cipher.update(JSON.stringify(keys), "utf8"), cipher.final()]);
  return {
    format: 1,
    wrapping,
    nonce: nonce.toString("base64"),
    ciphertext: ciphertext.toString("base64"),
    tag: cipher.getAuthTag().toString("base64"),
    keyIds: keyIdsOf(keys),
  };
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
    const decipher = createDecipheriv(CIPHER, secret, bytes(wrapped.nonce));
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
  const shared = diffieHellman({ privateKey: pair.privateKey, publicKey: recipient });
  return {
    wrapping: { method: "x25519" as const, ephemeral: ephemeral.toString("base64") },
    secret: expand(shared, ephemeral),
  };
}

const expand = (shared: Buffer, ephemeral: Buffer): Buffer =>
  Buffer.from(hkdfSync("sha256", shared, ephemeral, PURPOSE, KEY_BYTES));

function secretOf({ wrapping }: WrappedKeys, opener: Opener): Buffer {
  if (wrapping.method === "scrypt") {
    if (!("passphrase" in opener))
      throw new OperatorError(
        "The keys were wrapped to a passphrase: name its file with --passphrase-file.",
      );
    try {
      return derive(opener.passphrase, Buffer.from(wrapping.salt, "base64"), wrapping);
    } catch (cause) {
      throw new OperatorError("The costs of scrypt in the file are none that a backup has.", {
        cause,
      });
    }
  }
  if (!("privateKey" in opener))
    throw new OperatorError(
      "The keys were wrapped to a public key: name the file of its private key with --private-key-file.",
    );
  const ephemeral = Buffer.from(wrapping.ephemeral, "base64");
  const publicKey = createPublicKey({ key: ephemeral, type: "spki", format: "der" });
  const privateKey = keyOf(opener.privateKey, createPrivateKey, "private");
  return expand(diffieHellman({ privateKey, publicKey }), ephemeral);
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
