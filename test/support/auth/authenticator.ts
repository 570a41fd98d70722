import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** Flags of authenticator data: user present and verified, and with the credential's public key. */
const [PRESENT, WITH_KEY] = [0x05, 0x45];

/** A device that makes passkeys of WebAuthn (Level 2, §6), each with a P-256 key and without attestation. */
export class Authenticator {
  readonly #passkeys = new Map<string, { readonly key: KeyObject; counter: number }>();

  /** The JSON of a new passkey that a browser sends for the server's options. */
  create({ challenge, rp }: { challenge: string; rp: { id: string } }, origin: string): string {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    const id = randomBytes(16);
    this.#passkeys.set(id.toString("base64url"), { key: privateKey, counter: 0 });
    // COSE (RFC 9053): an EC2 key for ES256 on P-256.
    const coseKey = Buffer.concat([
      Buffer.from("a501020326200121", "hex"),
      bytes(Buffer.from(x, "base64url")),
      Buffer.from("22", "hex"),
      bytes(Buffer.from(y, "base64url")),
    ]);
    const credential = [Buffer.alloc(16), uint(id.length, 2), id, coseKey];
    const authData = Buffer.concat([dataOf(rp.id, WITH_KEY, 0), ...credential]);
    const attestationObject = Buffer.concat([
      Buffer.from("a3", "hex"),
      text("fmt"),
      text("none"),
      text("attStmt"),
      Buffer.from("a0", "hex"),
      text("authData"),
      bytes(authData),
    ]);
    return credentialOf(id, {
      clientDataJSON: clientData("webauthn.create", challenge, origin).toString("base64url"),
      attestationObject: attestationObject.toString("base64url"),
    });
  }

  /** The JSON that a browser sends for the server's options to log in with the device's only passkey. */
  get({ challenge, rpId }: { challenge: string; rpId: string }, origin: string): string {
    const [[id, passkey] = []] = this.#passkeys;
    if (id === undefined || passkey === undefined) throw new Error("the device has no passkey");
    passkey.counter += 1;
    const authData = dataOf(rpId, PRESENT, passkey.counter);
    const client = clientData("webauthn.get", challenge, origin);
    const signature = sign("sha256", Buffer.concat([authData, hashOf(client)]), passkey.key);
    return credentialOf(Buffer.from(id, "base64url"), {
      clientDataJSON: client.toString("base64url"),
      authenticatorData: authData.toString("base64url"),
      signature: signature.toString("base64url"),
    });
  }
}

const hashOf = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();

const uint = (value: number, length: number): Buffer => {
  const buffer = Buffer.alloc(length);
  buffer.writeUIntBE(value, 0, length);
  return buffer;
};

const dataOf = (rpId: string, flags: number, counter: number): Buffer =>
  Buffer.concat([hashOf(rpId), uint(flags, 1), uint(counter, 4)]);

const clientData = (type: string, challenge: string, origin: string): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

/** CBOR (RFC 8949): a byte string of 24 to 255 bytes, and a text of at most 23 bytes. */
const bytes = (value: Buffer): Buffer =>
  Buffer.concat([uint(0x58, 1), uint(value.length, 1), value]);
const text = (value: string): Buffer =>
  Buffer.concat([uint(0x60 + value.length, 1), Buffer.from(value)]);

function credentialOf(rawId: Buffer, response: Readonly<Record<string, string>>): string {
  const id = rawId.toString("base64url");
  const rest = { type: "public-key", clientExtensionResults: {}, response };
  return JSON.stringify({ id, rawId: id, ...rest });
}
