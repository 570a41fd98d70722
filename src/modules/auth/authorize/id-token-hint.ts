import { compactVerify, decodeProtectedHeader } from "jose";
import { z } from "zod";
import { isSameIssuer } from "#modules/auth/core/issuer-url.ts";
import { SigningKeys, TOKEN_ALGORITHM } from "#modules/auth/keys/signing-keys.ts";
import type { ServiceContext } from "#platform/context.ts";
import { parseJson } from "#platform/json.ts";

/** Whom an ID token of ours is about, and for which client it was made. */
export interface IdTokenHint {
  readonly subject: string;
  readonly clientId: string;
}

const Claims = z.object({
  iss: z.string(),
  sub: z.string(),
  azp: z.string(),
  /** Access tokens have it, which are no hints. */
  scope: z.undefined().optional(),
});

/** Longest token, in characters. */
const TOKEN_LENGTH_MAX = 16_384;

/** Reads an ID token of ours, which may have expired: it says who was there. Undefined for any other text. */
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
    return undefined; // its signature is not ours
  }
}

function kidOf(text: string): string | undefined {
  try {
    return decodeProtectedHeader(text).kid;
  } catch {
    return undefined; // it is no token at all
  }
}
