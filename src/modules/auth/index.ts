import { OpenAPIHono } from "@hono/zod-openapi";
import * as authority from "./authority/tables.ts";
import * as authorize from "./authorize/tables.ts";
import * as grants from "./grants/tables.ts";
import { PasswordHashObject } from "./hashing/password-hash-object.ts";
import { registerAudit } from "./http/audit.ts";
import { registerClientQuotas } from "./http/client-quotas.ts";
import { registerClients } from "./http/clients.ts";
import { registerCredentials } from "./http/credentials.ts";
import examples from "./http/examples.md" with { type: "text" };
import { registerIssuedTokens } from "./http/issued-tokens.ts";
import { registerMembership } from "./http/membership.ts";
import { registerOAuth } from "./http/oauth.ts";
import { registerPeople } from "./http/people.ts";
import { registerServer } from "./http/server.ts";
import { registerSignInLinks } from "./http/sign-in-links.ts";
import { registerSigningKeys } from "./http/signing-keys.ts";
import { registerUsers } from "./http/users.ts";
import { AttemptLimitObject } from "./limits/attempt-limit-object.ts";
import { registerAuthorize } from "./pages/authorize.ts";
import { registerDevice } from "./pages/device.ts";
import { registerInvitation } from "./pages/invitation.ts";
import { registerLogin } from "./pages/login.ts";
import { registerLogout } from "./pages/logout.ts";
import { registerPasskeys } from "./pages/passkeys.ts";
import { registerPassword } from "./pages/password.ts";
import { registerSignIn } from "./pages/sign-in.ts";
import * as passkeys from "./passkeys/tables.ts";
import * as people from "./people/tables.ts";
import { clientQuotasOf } from "./quotas/client-quotas.ts";
import { ClientQuotaObject } from "./quotas/quota-object.ts";
import * as quotas from "./quotas/tables.ts";
import { AuthStore } from "./registry/store.ts";
import { sweepSigningKeys } from "./retention/key-sweep.ts";
import { purgeGrants } from "./retention/purge-grants.ts";
import { purgeLogins } from "./retention/purge-logins.ts";
import * as revocations from "./revocations/tables.ts";
import { authSettings } from "./settings.ts";
import { AUTH_STATUS } from "./status.ts";
import { GRANTS_SWEEP, KEYS_SWEEP, LOGINS_SWEEP } from "./sweeps.ts";
import * as clients from "./tables.ts";
import { verifierOf } from "./verification/verifier.ts";
import type { ClientQuotas } from "#platform/admission/quotas.ts";
import { AuditLog } from "#platform/audit/audit-log.ts";
import { AUDIT_SWEEP } from "#platform/audit/audited-change.ts";
import type { Authenticator } from "#platform/http/authenticator.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { type Module, readAndWrite } from "#platform/modules/module.ts";
import { tablesIn } from "#platform/upgrade/wanted-tables.ts";

const VERSION = "v2.4.0";

/**
 * The OAuth 2 server: clients, access tokens for them, and the check of tokens for all modules. A folder imports from those below
 * it only (`scripts/lib/rooms/room-table.ts`):
 *
 *     http                         the API of clients, people and keys, and the endpoints of OAuth
 *     pages, passwords             what people see in their browsers
 *     administration, clients      changes of people and of clients
 *     permits                      the rule of who may make such a change
 *     tokens, upstream, passkeys   ways to a token: secrets and codes, another provider's login, an authenticator
 *     authorize, verification      what a client asks of people; whether a token is valid
 *     keys, people                 keys that sign and verify; people, their passwords and sessions
 *     grants, registry             consents and refresh tokens; clients
 *     authority, revocations       what clients and people may do and could do; tokens that were revoked
 *     quotas, limits               how much a client may ask for; how often a secret may be wrong
 *
 * What surprises: a client that asks for no scope gets a token without any, scopes that a client may not have are left out
 * silently, a missing scope answers 401 and not 403, and the audience of another issuer's token is checked only if the settings
 * name one. The official clients and the modules that they talk to rely on each of these. The first client comes from the
 * settings, and that of the console is built in; the API neither shows nor changes them.
 */
export const authModule: Module & {
  /** The verifier of request tokens, created once for each environment. */
  authenticator(env: Env): Authenticator;
  /** The quotas of clients, created once for each environment. */
  quotas(env: Env): ClientQuotas;
} = {
  name: "auth",
  version: VERSION,
  routes: createRoutes,
  florinRoutes: () => {
    const app = new OpenAPIHono<AppEnv>();
    registerAudit(app);
    registerSigningKeys(app);
    registerPeople(app);
    registerCredentials(app);
    registerClientQuotas(app);
    registerSignInLinks(app);
    return app;
  },
  rootRoutes: () => {
    const app = new OpenAPIHono<AppEnv>();
    registerMembership(app);
    return app;
  },
  resources: [
    {
      name: "Access",
      resources: [
        {
          name: "Tokens",
          description:
            "A client sends its id and secret and gets an access token, which it sends with each request.",
        },
        {
          name: "Membership",
          description:
            "What Formance's command line and Terraform provider read of a membership service. Florin is its own: it has one organization with one stack.",
        },
        {
          name: "OAuth clients",
          description:
            "A client is a program that calls the API. It has secrets, and the scopes that its tokens may have.",
        },
        {
          name: "Users",
          description:
            "A user is a person who can log in. Clients get tokens in the person's name.",
        },
        {
          name: "Signing keys",
          description:
            "Tokens are signed with keys. A new key takes over at once; the one before it verifies until its tokens have expired.",
        },
        {
          name: "Audit",
          description:
            "The audit says who changed what outside of the books, where each log entry has its author.",
        },
      ],
    },
  ],
  examples,
  health: ({ env }) => new AuthStore(env).check(),
  settings: authSettings,
  tables: tablesIn(authority, authorize, clients, grants, passkeys, people, quotas, revocations),
  scopes: readAndWrite("auth", "the clients of the OAuth server"),
  status: AUTH_STATUS,
  sweeps: [
    {
      name: AUDIT_SWEEP,
      purges: true,
      run: (context) =>
        AuditLog.from(context).purge(authSettings.of(context.env).FLORIN_AUDIT_RETENTION),
    },
    { name: LOGINS_SWEEP, run: purgeLogins, purges: true },
    { name: GRANTS_SWEEP, run: purgeGrants, purges: true },
    { name: KEYS_SWEEP, run: sweepSigningKeys },
  ],
  classes: { AttemptLimitObject, ClientQuotaObject, PasswordHashObject },
  authenticator: (env) =>
    authSettings.of(env).FLORIN_AUTH === "off" ? acceptAll : verifierOf(env).authenticate,
  quotas: clientQuotasOf,
};

function createRoutes(): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  registerServer(app, VERSION);
  registerOAuth(app);
  registerIssuedTokens(app);
  registerClients(app);
  registerUsers(app);
  registerAuthorize(app);
  registerLogin(app);
  registerLogout(app);
  registerDevice(app);
  registerPasskeys(app);
  registerPassword(app);
  registerInvitation(app);
  registerSignIn(app);
  return app;
}

/** The authenticator while authentication is off: every request comes from the administrator. */
const acceptAll: Authenticator = () => ({
  issuer: "florin",
  subject: "administrator",
  clientId: "florin",
  scopes: new Set(),
  ledgers: [],
});

export { asClient } from "./registry/as-client.ts";
export { currentPrincipal } from "./permits/current-principal.ts";
export type { HashCaller } from "./hashing/password-hash-object.ts";
export { AttemptLimitObject, authSettings, ClientQuotaObject, PasswordHashObject };
