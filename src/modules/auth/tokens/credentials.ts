import { percentDecoded } from "#platform/http/body.ts";

/** A client's id and secret, as a request to the token endpoint presents them. */
export interface Credentials {
  readonly clientId: string;
  /** The secret; undefined for none. An empty one counts as absent (RFC 6749 §3.2). */
  readonly clientSecret: string | undefined;
  /** The secret as the header has it, if decoding has changed it: some clients send it without form encoding. */
  readonly secretAsSent?: string;
}

const BASIC = /^basic +([A-Za-z0-9+/_-]*={0,2}) *$/i;

/** Whether a request authenticates by the `Authorization` header, which takes precedence over the form. */
export const usesBasic = (authorization: string | null): authorization is string =>
  authorization !== null && /^basic\b/i.test(authorization);

/**
 * Parses `Basic` credentials, whose parts are form-encoded before base64 (RFC 6749 §2.3.1); undefined for anything else. A secret
 * that is no form encoding stands for itself.
 */
export function parseBasic(authorization: string): Credentials | undefined {
  const decoded = decodeBase64(BASIC.exec(authorization)?.[1]);
  const colon = decoded?.indexOf(":") ?? -1;
  if (decoded === undefined || colon < 0) return undefined;
  const [id, secret] = [decoded.slice(0, colon), decoded.slice(colon + 1)];
  const clientId = percentDecoded(id);
  if (clientId === undefined) return undefined;
  const clientSecret = percentDecoded(secret) ?? secret;
  if (clientSecret === "") return { clientId, clientSecret: undefined };
  return clientSecret === secret
    ? { clientId, clientSecret }
    : { clientId, clientSecret, secretAsSent: secret };
}

function decodeBase64(base64: string | undefined): string | undefined {
  if (base64 === undefined) return undefined;
  const bytes = Buffer.from(base64, "base64");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // not UTF-8, so not the credentials of any client
  }
}
