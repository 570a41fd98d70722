import { z } from "zod";
import { Api } from "./api.ts";
import { commandOf } from "./place.ts";
import type { Target } from "./target.ts";
import { isLoopbackHost } from "#platform/http/loopback.ts";

/** The administrator whom the first start of a deployment makes. The person has no password. */
const FIRST_PERSON = { email: "operator@localhost", name: "Operator" };

const USERS = "/api/florin/v1/users";
const User = z.object({
  id: z.string(),
  email: z.string(),
  issuer: z.string().optional(),
  scopes: z.array(z.string()),
  ledgers: z.array(z.string()),
});
type User = z.output<typeof User>;
const SignInLink = z.object({ data: z.object({ url: z.string() }) });

/** The settings of a server that decide how people sign in. */
export interface SignInSettings {
  /** The URL under which the server issues tokens. */
  readonly publicUrl: string;
  readonly loginIssuer: string | undefined;
  /** The scopes of an administrator. */
  readonly scopes: readonly string[];
}

/** The link that signs the first person in, or the sentence that says why there is none; an empty one says nothing. */
export type FirstSignIn = { readonly url: string } | { readonly sentence: string };

/**
 * Makes a link that signs the first person in, and before it the person if there is nobody. The link is made for a server on loopback only,
 * because it makes whoever reads it an administrator. The person may be deleted or have lost scopes; then there is no link.
 */
export async function signInFirstPerson(
  target: Target,
  { publicUrl, loginIssuer, scopes }: SignInSettings,
): Promise<FirstSignIn> {
  if (loginIssuer !== undefined) return { sentence: `People sign in at ${loginIssuer}.` };
  const api = await Api.connect(target, ["auth:write"]);
  const { data: users } = await api.call({
    method: "GET",
    path: USERS,
    answer: z.object({ data: z.array(User) }),
  });
  if (!isLoopbackHost(new URL(publicUrl).hostname)) {
    const invite = commandOf("florin", `people invite --scopes ${scopes.join(",")}`);
    return {
      sentence: users.length === 0 ? `The first person signs in by an invitation: ${invite}` : "",
    };
  }
  const person = users.length === 0 ? await addFirstPerson(api, scopes) : findFirst(users, scopes);
  if (person === undefined) return { sentence: GONE };
  const { data } = await api.call({
    method: "POST",
    path: "/api/florin/v1/sign-in-links",
    body: { personId: person.id },
    answer: SignInLink,
  });
  return data;
}

const GONE = `There is no link to sign in, because ${FIRST_PERSON.email} is no administrator here. This makes one for somebody else:

  ${commandOf("florin", "people sign-in-link <person>")}`;

async function addFirstPerson(api: Api, scopes: readonly string[]): Promise<User> {
  const body = { ...FIRST_PERSON, scopes };
  const answer = z.object({ data: User });
  const { data } = await api.call({ method: "POST", path: USERS, body, answer });
  return data;
}

const findFirst = (users: readonly User[], scopes: readonly string[]): User | undefined =>
  users.find(
    ({ email, issuer, scopes: given, ledgers }) =>
      email === FIRST_PERSON.email &&
      issuer === undefined &&
      ledgers.length === 0 &&
      scopes.every((scope) => given.includes(scope)),
  );
