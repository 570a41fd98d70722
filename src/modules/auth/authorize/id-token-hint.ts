import { compactVerify, decodeProtectedHeader } from "jose";
import { z } from "zod";
import { isSameIssuer } from "#modules/auth/core/issuer-url.ts";
import { SigningKeys, TOKEN_ALGORITHM } from "#modules/auth/keys/signing-keys.ts";
import type { ServiceContext } from "#platform/context.ts";
import { parseJson } from "#platform/json.ts";

/** The person and the client of an ID token that this server has issued. */
export interface IdTokenHint {
  readonly subject: string;
  readonly clientId: string;
}

const Claims = z.object({
  iss: z.string(),
  sub: z.string(),
  azp: z.string(),
  /** Absent in ID tokens. Access tokens have it, and are refused as hints. */
  scope: z.undefined().optional(),
});

/** Longest ID token, in characters. */
const TOKEN_LENGTH_MAX = 16_384;

/** Reads an ID token of this server; undefined for any other text. The token may have expired, because it only says who was logged in. */
export async function readIdTokenHint(
  { env }: Pick<ServiceContext, "env">,
  text: string,
  issuer: string,
): Promise<IdTokenHint | undefined> {
  const payload = text.length > TOKEN_LENGTH_MAX ? undefined : await verifiedPayload(env, text);
  if (payload === undefined) return undefined;
  const claims = Claims.safeParse(payload);
  if (!claims.success || !isSameIssuer(claims.data.iss, issuer)) return undefined;
  return { subject: claims.data.sub, clientId: claims.data.azp };
}

async function verifiedPayload(env: Env, text: string): Promise<unknown> {
  const kid = kidOf(text);
  if (kid === undefined) return undefined;
  const keys = await SigningKeys.from(env).verifiers();
  const key = keys.find((known) => known.kid === kid)?.key;
  if (key === undefined) return undefined;
  try {
    const { payload } = await compactVerify(text, key, { algorithms: [TOKEN_ALGORITHM] });
    return parseJson(new TextDecoder().decode(payload));
  } catch {
    return undefined; // the signature is not one of this server
  }
}

function kidOf(text: string): string | undefined {
  try {
    return decodeProtectedHeader(text).kid;
  } catch {
    return undefined; // the text is not a token
  }
}
