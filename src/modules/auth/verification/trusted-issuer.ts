import { z } from "zod";
import type { VerificationKey } from "#modules/auth/keys/key-cache.ts";
import { importPublicKey, TOKEN_ALGORITHM } from "#modules/auth/keys/signing-keys.ts";
import {
  callOutbound,
  type Fetch,
  OPEN_GATE,
  type OutboundPolicy,
} from "#platform/http/outbound.ts";
import { parseJson } from "#platform/json.ts";

export interface IssuerAccess {
  readonly fetch: Fetch;
  readonly policy: OutboundPolicy;
}

/** How long an issuer may take for one document, in milliseconds. */
const ISSUER_TIMEOUT_MS = 5000;
/** Largest document of an issuer, in bytes. */
const ISSUER_DOCUMENT_BYTES_MAX = 256 * 1024;
/** Most keys that are used of one issuer. */
const ISSUER_KEYS_MAX = 100;
/** Shortest RSA key that verifies anything, in bits. */
const MODULUS_BITS_MIN = 2048;

const DiscoveryDocument = z.looseObject({ issuer: z.string(), jwks_uri: z.url() });

const KeyDocument = z.object({
  kid: z.string().optional(),
  kty: z.literal("RSA"),
  n: z.string(),
  e: z.string(),
  use: z.literal("sig").optional(),
  alg: z.literal(TOKEN_ALGORITHM).optional(),
});
const KeySetDocument = z.object({ keys: z.array(z.unknown()) });

/** Fetches the keys with which another issuer signs, through its discovery document. Throws errors with a sentence for the operator's log. */
export async function fetchIssuerKeys(
  issuer: string,
  access: IssuerAccess,
): Promise<readonly VerificationKey[]> {
  const discovery = await fetchDiscovery(issuer, access);
  assertSafeUrl(discovery.jwks_uri, issuer);
  const { keys } = KeySetDocument.parse(await fetchDocument(discovery.jwks_uri, access));
  const usable = keys.flatMap((key) => KeyDocument.safeParse(key).data ?? []);
  const imported = await Promise.all(usable.slice(0, ISSUER_KEYS_MAX).map(importUsableKey));
  return imported.filter((key) => key !== undefined);
}

/** The discovery document of an issuer, with all its members. */
export async function fetchDiscovery(
  issuer: string,
  access: IssuerAccess,
): Promise<z.output<typeof DiscoveryDocument>> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const discovery = DiscoveryDocument.parse(await fetchDocument(url, access));
  if (discovery.issuer === issuer) return discovery;
  throw new Error(`${url} is the document of another issuer, ${discovery.issuer}`);
}

async function fetchDocument(url: string, access: IssuerAccess): Promise<unknown> {
  const result = await callOutbound(
    {
      method: "GET",
      url,
      headers: { accept: "application/json" },
      timeoutMs: ISSUER_TIMEOUT_MS,
      bodyBytesMax: ISSUER_DOCUMENT_BYTES_MAX,
    },
    { ...access, gate: OPEN_GATE },
  );
  if (result.kind === "unreachable") throw new Error(`${url} is not reachable: ${result.error}`);
  if (result.bodyError !== undefined) throw new Error(`${url} broke off: ${result.bodyError}`);
  if (result.status !== 200) throw new Error(`${url} answered ${result.status}`);
  if (result.body.byteLength >= ISSUER_DOCUMENT_BYTES_MAX) {
    throw new Error(
      `${url} answered ${ISSUER_DOCUMENT_BYTES_MAX} bytes or more, which is too much`,
    );
  }
  return parseJson(new TextDecoder().decode(result.body));
}

/** The keys must be protected as the discovery document is: by https, unless the issuer itself is an http URL. */
function assertSafeUrl(url: string, issuer: string): void {
  const { protocol } = new URL(url);
  if (protocol === "https:" || protocol === new URL(issuer).protocol) return;
  throw new Error(`the issuer ${issuer} has its keys at ${url}, which is not https`);
}

/** Imports a key; undefined if it cannot be used, so that one bad key does not make the others unusable. */
async function importUsableKey(
  document: z.output<typeof KeyDocument>,
): Promise<VerificationKey | undefined> {
  try {
    const key = await importPublicKey(document);
    if (modulusBits(key) < MODULUS_BITS_MIN) return undefined;
    return document.kid === undefined ? { key } : { kid: document.kid, key };
  } catch {
    return undefined; // the modulus or the exponent is malformed
  }
}

/** The size of an RSA key. WebCrypto gives such keys an algorithm of this form. */
const modulusBits = (key: CryptoKey): number =>
  (key.algorithm as { modulusLength: number }).modulusLength;
