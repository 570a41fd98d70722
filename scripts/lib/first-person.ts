import { z } from "zod";
import type { Target } from "./target.ts";
import { requestToken } from "./token.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

const Users = z.object({ data: z.array(z.unknown()) });
const Invitation = z.object({ data: z.object({ url: z.string() }) });

/**
 * The link of an invitation for the first person, with all scopes; undefined if a person exists. Invitations of earlier starts stay valid
 * until they are used or expire.
 */
export async function inviteFirstPerson(
  target: Target,
  scopes: readonly string[],
): Promise<string | undefined> {
  const token = await requestToken(target, ["auth:write"]);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const users = await fetch(`${target.url}/api/auth/users`, { headers });
  if (Users.parse(parseJson(await users.text())).data.length > 0) return undefined;
  const invited = await fetch(`${target.url}/api/florin/v1/invitations`, {
    method: "POST",
    headers,
    body: stringifyJson({ scopes }),
  });
  if (!invited.ok) return undefined; // People log in at another issuer, or too many invitations are open.
  return Invitation.parse(parseJson(await invited.text())).data.url;
}
