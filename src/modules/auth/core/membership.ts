import { baseOfIssuer } from "./issuer-url.ts";
import { isStandardScope, mayHave, splitScopes } from "./scopes.ts";

/**
 * Florin as the membership service that Formance's command line (`fctl`) and Terraform provider log in to. Its issuer is the public
 * URL itself, while tokens of the API have the issuer `/api/auth` below it. A deployment has one organisation with one stack: itself.
 *
 *     device login ─► ID token, root token ────────────► whom is this about, which stacks are there
 *     device login for the organisation ─► its token ──► `/organizations/…`
 *     device login for the stack, ┐
 *     or a client's credentials   ┴─► stack token ──────► jwt-bearer grant ─► token of the API ─► modules
 */
export type MembershipKind = "root" | "organization" | "stack";

/** The id of the only organisation. */
export const ORGANIZATION_ID = "florin";
/** The id of the only stack. */
export const STACK_ID = "main";

/** The resource (RFC 8707) of a stack token. */
export const STACK_RESOURCE = `stack://${ORGANIZATION_ID}/${STACK_ID}`;

/** What a client may ask of a stack. */
export const STACK_ACCESSES = ["stack:Read", "stack:Write"] as const;
export type StackAccess = (typeof STACK_ACCESSES)[number];

/** The id by which Formance's command line is known. It is a public client that is built in. */
export const FCTL_CLIENT_ID = "fctl";

/** The beginning of the second id of every confidential client, because the Terraform provider takes no other ids. */
const ALIAS_PREFIX = "organization_";

/** The second id of a confidential client. */
export const aliasOf = (clientId: string): string => ALIAS_PREFIX + clientId;

/** The client id behind a second id; undefined for a text that is no second id. */
export const clientIdOfAlias = (id: string): string | undefined =>
  id.startsWith(ALIAS_PREFIX) ? id.slice(ALIAS_PREFIX.length) : undefined;

const READ = ":read";
const WRITE = ":write";

/** The description of a refusal of a `resource`. */
export const UNKNOWN_RESOURCE = `resource is not '${STACK_RESOURCE}|stack:Read stack:Write'`;

/** Parses the parameter `resource`: `stack://organisation/stack|stack:Read stack:Write`. Undefined for any other text, and for another stack. */
export function parseStackResource(text: string): readonly StackAccess[] | undefined {
  const [resource, accesses = "", ...others] = text.split("|");
  if (resource !== STACK_RESOURCE || others.length > 0) return undefined;
  const asked = splitScopes(accesses);
  return STACK_ACCESSES.filter((access) => asked.has(access));
}

/** The scopes of the API behind what is asked of the stack, for somebody with these scopes. `stack:Write` alone reads nothing that may not be written. */
export function scopesOfStack(
  accesses: readonly StackAccess[],
  scopes: readonly string[],
): readonly string[] {
  const reads = accesses.includes("stack:Read");
  const writes = accesses.includes("stack:Write");
  const given = scopes.flatMap((scope) => {
    if (scope.endsWith(READ)) return reads ? [scope] : [];
    if (!scope.endsWith(WRITE)) return [];
    const read = `${scope.slice(0, -WRITE.length)}${READ}`;
    return [...(reads ? [read] : []), ...(writes ? [scope] : [])];
  });
  return [...new Set(given)].filter((scope) => mayHave(scopes, scope));
}

/** What somebody with these scopes may ask of the stack. */
export const accessesOf = (scopes: readonly string[]): readonly StackAccess[] => [
  ...(scopes.some((scope) => scope.endsWith(READ) || scope.endsWith(WRITE))
    ? (["stack:Read"] as const)
    : []),
  ...(scopes.some((scope) => scope.endsWith(WRITE)) ? (["stack:Write"] as const) : []),
];

/** The `typ` in the headers of membership tokens. No verifier of bearer tokens takes one of them. */
export const MEMBERSHIP_TOKEN_TYPES: Readonly<Record<MembershipKind, string>> = {
  root: "florin-root+jwt",
  organization: "florin-organization+jwt",
  stack: "florin-stack+jwt",
};

/** The kind of a membership token, by the `typ` of its header; undefined for all other tokens. */
export const kindOfType = (type: string | undefined): MembershipKind | undefined =>
  MEMBERSHIP_KINDS.find((kind) => MEMBERSHIP_TOKEN_TYPES[kind] === type);

export const MEMBERSHIP_KINDS: readonly MembershipKind[] = ["root", "organization", "stack"];

/** The audience of a membership token. That of a stack token is the issuer of the API, whose token endpoint exchanges it. */
export const membershipAudience = (issuer: string, kind: MembershipKind): string =>
  kind === "stack" ? issuer : `${baseOfIssuer(issuer)}/organizations`;

/**
 * The scopes of a grant that a person gives a membership client. For the stack, what the client asks (`stack:Read`) becomes the scopes
 * of the API that the person has behind it.
 */
export function membershipScopes(
  kind: MembershipKind,
  requested: readonly string[],
  ofPerson: readonly string[],
): string[] {
  const standard = requested.filter(isStandardScope);
  if (kind !== "stack") return standard;
  const asked = STACK_ACCESSES.filter((access) => requested.includes(access));
  return [...standard, ...scopesOfStack(asked, ofPerson)];
}

/** An organisation in the ID token, which is the command line's directory of what there is. */
export interface Organization {
  readonly id: string;
  readonly displayName: string;
  readonly stacks: readonly {
    readonly id: string;
    readonly displayName: string;
    /** The public URL of the stack, without a slash at the end. */
    readonly uri: string;
    readonly scopes: readonly StackAccess[];
  }[];
  readonly applications: readonly never[];
}

/** What the command line sees of this deployment for a person with these scopes. */
export const organizationsOf = (issuer: string, scopes: readonly string[]): Organization[] => [
  {
    id: ORGANIZATION_ID,
    displayName: "Florin",
    stacks: [
      {
        id: STACK_ID,
        displayName: "Main",
        uri: baseOfIssuer(issuer),
        scopes: accessesOf(scopes),
      },
    ],
    applications: [],
  },
];
