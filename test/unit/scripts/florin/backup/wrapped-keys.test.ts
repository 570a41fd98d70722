import { generateKeyPairSync, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type DeploymentKeys, WrappedKeys } from "#platform/backup/saving/wrapped-keys.ts";
import { openKeys, wrapKeys } from "#scripts/florin/backup/wrapped-keys.ts";

const freshKey = (): string => randomBytes(32).toString("base64");
const KEYS: DeploymentKeys = {
  FLORIN_SECRET_KEY: freshKey(),
  FLORIN_PREVIOUS_SECRET_KEYS: [freshKey(), freshKey()],
};

function freshPair() {
  const pair = generateKeyPairSync("x25519");
  return {
    publicKey: String(pair.publicKey.export({ type: "spki", format: "pem" })),
    privateKey: String(pair.privateKey.export({ type: "pkcs8", format: "pem" })),
  };
}

/** Wrapped keys as they are read from a file. */
const stored = (wrapped: WrappedKeys): WrappedKeys =>
  WrappedKeys.parse(JSON.parse(JSON.stringify(wrapped)));

describe("keys in a backup", () => {
  test("keys that were wrapped to a passphrase are opened by it, in either form of its letters, and by no other one", async () => {
    const wrapped = stored(await wrapKeys(KEYS, { passphrase: "caf\u00e9 at nine" }));
    expect(openKeys(wrapped, { passphrase: "cafe\u0301 at nine" })).toEqual(KEYS);
    expect(() => openKeys(wrapped, { passphrase: "caf\u00e9 at ten" })).toThrow("cannot be opened");
    expect(() => openKeys(wrapped, freshPair())).toThrow("were wrapped to a passphrase");
  });

  test("keys that were wrapped to a public key are opened by its private key, and by no other one", async () => {
    const pair = freshPair();
    const wrapped = stored(await wrapKeys(KEYS, pair));
    expect(openKeys(wrapped, pair)).toEqual(KEYS);
    expect(() => openKeys(wrapped, freshPair())).toThrow("cannot be opened");
    expect(() => openKeys(wrapped, { passphrase: "x" })).toThrow("were wrapped to a public key");
  });

  test("a public key may have other text around it, as openssl prints it", async () => {
    const pair = freshPair();
    const publicKey = `${pair.publicKey}X25519 Public-Key:\npub:\n    aa:bb\n`;
    expect(openKeys(stored(await wrapKeys(KEYS, { publicKey })), pair)).toEqual(KEYS);
  });

  test("wrapped keys show none of the keys, are different each time, and are refused once they are changed", async () => {
    const pair = freshPair();
    const [one, other] = [await wrapKeys(KEYS, pair), await wrapKeys(KEYS, pair)];
    for (const key of [KEYS.FLORIN_SECRET_KEY, ...KEYS.FLORIN_PREVIOUS_SECRET_KEYS]) {
      expect(JSON.stringify(one)).not.toContain(key);
    }
    expect(one.ciphertext).not.toBe(other.ciphertext);
    expect(one.keyIds).toHaveLength(3);
    const bytes = Buffer.from(one.ciphertext, "base64");
    bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0);
    const changed = { ...one, ciphertext: bytes.toString("base64") };
    expect(() => openKeys(changed, pair)).toThrow("the file was changed");
  });

  test("a key of another kind, and a text that is no key, are refused with what to do", async () => {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const publicKey = String(rsa.publicKey.export({ type: "spki", format: "pem" }));
    await expect(wrapKeys(KEYS, { publicKey })).rejects.toThrow(
      "openssl genpkey -algorithm X25519",
    );
    await expect(wrapKeys(KEYS, { publicKey: "none" })).rejects.toThrow("no public key in PEM");
  });

  test("what the file says of itself is covered by the tag, which is never shorter than 16 bytes", async () => {
    const pair = freshPair();
    const wrapped = await wrapKeys(KEYS, pair);
    const tag = Buffer.from(wrapped.tag, "base64").subarray(0, 4).toString("base64");
    const nonce = Buffer.alloc(16).toString("base64");
    for (const changed of [{ keyIds: wrapped.keyIds.slice(1) }, { tag }, { nonce }]) {
      expect(() => openKeys({ ...wrapped, ...changed }, pair)).toThrow("the file was changed");
    }
    const scrypt = stored(await wrapKeys(KEYS, { passphrase: "x" }));
    expect(
      WrappedKeys.safeParse({ ...scrypt, wrapping: { ...scrypt.wrapping, p: 64 } }).success,
    ).toBe(false);
  });

  test("a public key of low order, and one of a file that is none, are refused with a sentence", async () => {
    const spki = Buffer.concat([Buffer.from("302a300506032b656e032100", "hex"), Buffer.alloc(32)]);
    const publicKey = `-----BEGIN PUBLIC KEY-----\n${spki.toString("base64")}\n-----END PUBLIC KEY-----\n`;
    await expect(wrapKeys(KEYS, { publicKey })).rejects.toThrow("none that keys can be wrapped to");
    const pair = freshPair();
    const wrapped = await wrapKeys(KEYS, pair);
    const openWith = (ephemeral: Buffer) => () =>
      openKeys(
        { ...wrapped, wrapping: { method: "x25519", ephemeral: ephemeral.toString("base64") } },
        pair,
      );
    expect(openWith(spki)).toThrow("none that keys can be wrapped to");
    expect(openWith(Buffer.from("none"))).toThrow("has no public key of X25519");
  });
});
