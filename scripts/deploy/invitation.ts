import { z } from "zod";
import { Api } from "#scripts/lib/api.ts";
import { discover } from "#scripts/lib/discovery.ts";
import type { Target } from "#scripts/lib/target.ts";

const Users = z.object({ data: z.array(z.unknown()) });
const Invitation = z.object({ data: z.object({ url: z.string(), expiresAt: z.string() }) });

/** Invites the first person of a deployment with all scopes; undefined if there is somebody already. */
export async function inviteFirstPerson(
  target: Target,
): Promise<{ url: string; expiresAt: string } | undefined> {
  const api = await Api.connect(target, ["auth:write"]);
  const { data: users } = await api.call({
    method: "GET",
    path: "/api/florin/v1/users",
    answer: Users,
  });
  if (users.length > 0) return undefined;
  const { scopes } = await discover(target.url);
  const { data } = await api.call({
    method: "POST",
    path: "/api/florin/v1/invitations",
    body: { scopes },
    answer: Invitation,
  });
  return data;
}
