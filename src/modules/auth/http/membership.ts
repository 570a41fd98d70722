import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { issuerOfRequest, NO_STORE } from "./oauth-answers.ts";
import { DiscoveryResponse, MembershipDiscoveryResponse } from "./oauth-schemas.ts";
import { toDiscoveryView, toMembershipDiscoveryView } from "./oauth-views.ts";
import { consoleUrl } from "#modules/auth/core/console.ts";
import { baseOfIssuer } from "#modules/auth/core/issuer-url.ts";
import { type MembershipKind, ORGANIZATION_ID, STACK_ID } from "#modules/auth/core/membership.ts";
import { membershipPerson } from "#modules/auth/tokens/membership-person.ts";
import { readBearer } from "#modules/auth/verification/token-verifier.ts";
import { verifierOf } from "#modules/auth/verification/verifier.ts";
import { AppError } from "#platform/errors.ts";
import { type AppEnv, deploymentOf, ok, operations, registration } from "#platform/http/index.ts";
import { FLORIN_VERSION } from "#platform/upgrade/version.ts";

const membership = operations({ tags: ["Membership"], scope: "public" });
const organizations = operations({
  path: "/organizations",
  tags: ["Membership"],
  scope: "public",
});

const Organization = z
  .object({ id: z.string(), name: z.string(), ownerId: z.string() })
  .openapi("Organization");

const Stack = z
  .object({
    id: z.string(),
    name: z.string(),
    organizationId: z.string(),
    uri: z.url(),
    regionID: z.string(),
    state: z.literal("ACTIVE"),
    status: z.literal("ACTIVE"),
  })
  .openapi("Stack");

const MembershipInfo = z
  .object({ version: z.string(), consoleURL: z.url() })
  .openapi("MembershipInfo");

const MembershipUser = z.object({ sub: z.string(), email: z.string() }).openapi("MembershipUser");

const OrganizationParams = z.object({ organizationId: z.string() });
const StackParams = OrganizationParams.extend({ stackId: z.string() });
/** Lists that are empty here. The command line needs them to be there. */
const Nothing = z.array(z.object({ id: z.string() })).max(0);

/** The deployment belongs to nobody in particular. The command line compares the owner with the person's `sub`. */
const ORGANIZATION = { id: ORGANIZATION_ID, name: "Florin", ownerId: "" };

const stackOf = (c: Context<AppEnv>) => ({
  id: STACK_ID,
  name: "Main",
  organizationId: ORGANIZATION_ID,
  uri: baseOfIssuer(issuerOfRequest(c)),
  regionID: deploymentOf(c).settings.FLORIN_LOCAL ? "local" : "cloudflare",
  state: "ACTIVE" as const,
  status: "ACTIVE" as const,
});

/** The person of a request's membership token. Tokens of the API are refused, as modules refuse membership tokens. Throws `UNAUTHENTICATED`. */
async function personOf(c: Context<AppEnv>, kinds: readonly MembershipKind[]) {
  const text = readBearer(c.req.header("authorization") ?? null);
  const read = await verifierOf(c.env).readMembership(text, kinds, c.req.url);
  return membershipPerson(c.var.context, read, kinds);
}

/** Admits the token of a request for something of an organisation. Throws `NOT_FOUND` for another organisation than ours. */
async function admit(c: Context<AppEnv>, organizationId: string): Promise<void> {
  await personOf(c, ["organization"]);
  if (organizationId === ORGANIZATION_ID) return;
  throw new AppError("NOT_FOUND", `there is no organization '${organizationId}'`);
}

const common = { answerHeaders: NO_STORE, errors: [404], params: OrganizationParams } as const;

/**
 * Registers what Formance's command line and Terraform provider read of a membership service, at the root: discovery, the person, and
 * the organisation with its stack, which are this deployment.
 */
export const registerMembership = registration(
  membership.get("/.well-known/openid-configuration", {
    operationId: "getMembershipDiscovery",
    aliases: ["/.well-known/oauth-authorization-server"],
    summary: "Discover the membership service",
    description:
      "For Formance's command line and Terraform provider. The issuer of this document is the public URL, and its tokens are no tokens of the API: the JWT bearer grant exchanges those of the stack. `/.well-known/oauth-authorization-server` has the same document (RFC 8414).",
    answer: ok.plain("The discovery document", MembershipDiscoveryResponse),
    handle: ({ c }) => toMembershipDiscoveryView(issuerOfRequest(c)),
  }),
  membership.get("/.well-known/oauth-authorization-server/api/auth", {
    operationId: "getAuthorizationServerMetadata",
    summary: "Discover the OAuth 2 server as RFC 8414 says",
    description:
      "The document of `/api/auth/.well-known/openid-configuration`, at the address that RFC 8414 gives it.",
    answer: ok.plain("The discovery document", DiscoveryResponse),
    handle: ({ c }) => toDiscoveryView(issuerOfRequest(c), deploymentOf(c).scopes),
  }),
  membership.get("/_info", {
    operationId: "getMembershipInfo",
    summary: "Show the version of the membership service",
    answer: ok.plain("The version", MembershipInfo),
    handle: ({ c }) => ({ version: FLORIN_VERSION, consoleURL: consoleUrl(issuerOfRequest(c)) }),
  }),
  membership.get("/userinfo", {
    operationId: "getMembershipUser",
    summary: "Ask whom a root token is about",
    answerHeaders: NO_STORE,
    answer: ok.plain("The person", MembershipUser),
    handle: async ({ c }) => {
      const { id: sub, email } = await personOf(c, ["root"]);
      return { sub, email };
    },
  }),
  organizations.get("", {
    operationId: "listOrganizations",
    summary: "List the organizations of a person",
    answerHeaders: NO_STORE,
    answer: ok.data("The organizations", z.array(Organization)),
    handle: async ({ c }) => {
      await personOf(c, ["root"]);
      return [ORGANIZATION];
    },
  }),
  organizations.get("/{organizationId}", {
    ...common,
    operationId: "readOrganization",
    summary: "Read an organization",
    answer: ok.data("The organization", Organization),
    handle: async ({ c, params }) => {
      await admit(c, params.organizationId);
      return ORGANIZATION;
    },
  }),
  organizations.get("/{organizationId}/stacks", {
    ...common,
    operationId: "listStacks",
    summary: "List the stacks of an organization",
    answer: ok.data("The stacks", z.array(Stack)),
    handle: async ({ c, params }) => {
      await admit(c, params.organizationId);
      return [stackOf(c)];
    },
  }),
  organizations.get("/{organizationId}/stacks/{stackId}", {
    ...common,
    operationId: "readStack",
    summary: "Read a stack",
    description: "The command line crashes by a 404, so a stack that does not exist is `{}`.",
    params: StackParams,
    answer: ok.plain("The stack", z.object({ data: Stack.optional() })),
    handle: async ({ c, params: { organizationId, stackId } }) => {
      await admit(c, organizationId);
      return stackId === STACK_ID ? { data: stackOf(c) } : {};
    },
  }),
  organizations.get("/{organizationId}/stacks/{stackId}/modules", {
    ...common,
    operationId: "listStackModules",
    summary: "List the modules that a stack may have besides its own",
    description: "There are none: every stack has all modules, which `GET /versions` lists.",
    params: StackParams,
    answer: ok.data("The modules", Nothing),
    handle: async ({ c, params }) => {
      await admit(c, params.organizationId);
      return [];
    },
  }),
  organizations.get("/{organizationId}/regions", {
    ...common,
    operationId: "listRegions",
    summary: "List the regions in which an organization may make stacks",
    description: "There are none, because the only stack is this deployment.",
    answer: ok.data("The regions", Nothing),
    handle: async ({ c, params }) => {
      await admit(c, params.organizationId);
      return [];
    },
  }),
);
