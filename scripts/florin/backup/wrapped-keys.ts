import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
  randomBytes,
  scryptSync,
} from "node:crypto";
import {
  authenticated,
  DeploymentKeys,
  keyIdsOf,
  PURPOSE,
  type WrappedKeys,
  wrapToPublicKey,
} from "#platform/backup/saving/wrapped-keys.ts";
import { OperatorError } from "#scripts/lib/project.ts";

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

/**
 * Wraps keys:
 *
 *     passphrase ─ scrypt (RFC 7914) ──────┐
 *                                          ├─► AES-256-GCM (keys) ─► ciphertext, tag
 *     public key ─ `wrapToPublicKey` ──────┘
 *
 * The tag covers what the file says of itself, too. Throws `OperatorError` for a public key of another kind.
 */
export async function wrapKeys(keys: DeploymentKeys, recipient: Recipient): Promise<WrappedKeys> {
  if ("publicKey" in recipient) {
    keyOf(recipient.publicKey, createPublicKey, "public");
    return wrapToPublicKey(keys, recipient.publicKey);
  }
  const { wrapping, secret } = fromPassphrase(recipient.passphrase);
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
