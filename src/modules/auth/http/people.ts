import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { Scopes } from "./schemas.ts";
import { issuerOf } from "#modules/auth/issuer.ts";
import { assertMayGive } from "#modules/auth/may-give.ts";
import { invitationUrl } from "#modules/auth/pages/invitation.ts";
import { offerPasswordReset } from "#modules/auth/passwords/password-resets.ts";
import type { EndUser } from "#modules/auth/people/end-user.ts";
import { invite } from "#modules/auth/people/invitations.ts";
import { EMAIL_LENGTH_MAX } from "#modules/auth/people/store.ts";
import { deletePerson, getPerson, listPeople, setScopes } from "#modules/auth/people/users.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { empty, endpoint, errors, json } from "#platform/http/endpoint.ts";
import { dataOf, TimestampOutput } from "#platform/http/schemas.ts";
import { platformSettings } from "#platform/platform-settings.ts";
import { formatTimestamp } from "#platform/time.ts";

const tags = ["Users"];
const UserParams = z.object({ userId: z.string() });

const InvitationRequest = z
  .object({
    email: z
      .email()
      .max(EMAIL_LENGTH_MAX)
      .optional()
      .openapi({ description: "The user's e-mail address; without it, the user chooses one." }),
    scopes: Scopes,
  })
  .openapi("InvitationRequest");

const InvitationView = z
  .object({
    url: z.url().openapi({ description: "The link for the user. It is not shown again." }),
    email: z.string().optional(),
    scopes: z.array(z.string()),
    expiresAt: TimestampOutput,
  })
  .openapi("Invitation");

const UserDetails = z
  .object({
    id: z.string(),
    subject: z.string(),
    email: z.string(),
    name: z.string().optional(),
    issuer: z.string().optional().openapi({
      description: "Where the user logs in, unless it is this server's own page",
    }),
    scopes: z.array(z.string()).openapi({
      description: "What the user's tokens may have, if their client may have it, too",
    }),
  })
  .openapi("UserDetails");

/** Florin's own routes, below `/api/florin/v1`: who may log in, and what for. */
export function registerPeople(app: OpenAPIHono<AppEnv>): void {
  registerInvite(app);
  registerUserDetails(app);
  registerReset(app);
  registerDelete(app);
}

function registerInvite(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/invitations",
      operationId: "florinInviteUser",
      summary: "Invite a user",
      description:
        "Whoever opens the link chooses a password and can log in from then on. The link works once, within a week. The scopes must be among those of the client that invites.",
      tags,
      scope: "auth:write",
      body: InvitationRequest,
      responses: { 201: json("The invitation", dataOf(InvitationView)) },
    },
    async ({ body: { email = "", scopes }, c }) => {
      const { context } = c.var;
      await assertMayGive(context, scopes, deploymentOf(c).scopes);
      const { token, expiresAt } = await invite(context, { email, scopes });
      const issuer = issuerOf(platformSettings.of(c.env).FLORIN_PUBLIC_URL, c.req.url);
      const data = {
        url: invitationUrl(issuer, token),
        ...(email === "" ? {} : { email }),
        scopes,
        expiresAt: formatTimestamp(expiresAt),
      };
      return { status: 201, body: { data }, headers: { "cache-control": "no-store" } };
    },
  );
}

function registerUserDetails(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/users",
      operationId: "florinListUsers",
      summary: "List all users with their scopes",
      tags,
      scope: "auth:read",
      responses: { 200: json("The users", dataOf(z.array(UserDetails))) },
    },
    async ({ c }) => {
      const people = await listPeople(c.var.context);
      return { status: 200, body: { data: people.map(toDetailsView) } };
    },
  );
  endpoint(
    app,
    {
      method: "put",
      path: "/users/{userId}",
      operationId: "florinUpdateUser",
      summary: "Replace the scopes of a user",
      description:
        "They must be among those of the client that gives them. Access tokens that were given before keep theirs until they expire, five minutes after they were given.",
      tags,
      scope: "auth:write",
      params: UserParams,
      body: z.object({ scopes: Scopes }).openapi("UpdateUserRequest"),
      responses: { 200: json("The user", dataOf(UserDetails)), ...errors(404) },
    },
    async ({ params, body: { scopes }, c }) => {
      await assertMayGive(c.var.context, scopes, deploymentOf(c).scopes);
      const person = await setScopes(c.var.context, params.userId, scopes);
      return { status: 200, body: { data: toDetailsView(person) } };
    },
  );
}

const PasswordResetView = z
  .object({
    url: z.url().openapi({ description: "The link for the user. It is not shown again." }),
    email: z.string(),
    expiresAt: TimestampOutput,
  })
  .openapi("PasswordReset");

function registerReset(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/users/{userId}/password-reset",
      operationId: "florinResetPassword",
      summary: "Let a user choose a new password",
      description:
        "Whoever opens the link sets the user's password. It works once, within a day, and replaces an earlier one; until then, the user logs in as before. With the new password, the user's sessions, refresh tokens and passkeys end. The user's scopes must be among those of the client that makes the link.",
      tags,
      scope: "auth:write",
      params: UserParams,
      responses: { 201: json("The link", dataOf(PasswordResetView)), ...errors(404, 409) },
    },
    async ({ params: { userId }, c }) => {
      const { context } = c.var;
      const { scopes } = await getPerson(context, userId);
      await assertMayGive(context, scopes, deploymentOf(c).scopes);
      const reset = await offerPasswordReset(context, { personId: userId, scopes });
      const issuer = issuerOf(platformSettings.of(c.env).FLORIN_PUBLIC_URL, c.req.url);
      const data = {
        url: invitationUrl(issuer, reset.token),
        email: reset.email,
        expiresAt: formatTimestamp(reset.expiresAt),
      };
      return { status: 201, body: { data }, headers: { "cache-control": "no-store" } };
    },
  );
}

function registerDelete(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "delete",
      path: "/users/{userId}",
      operationId: "florinDeleteUser",
      summary: "Delete a user, if there is one",
      description:
        "The user is logged out and gets no more tokens. Access tokens that were given before end within a minute.",
      tags,
      scope: "auth:write",
      params: UserParams,
      responses: { 204: empty("There is no such user now") },
    },
    async ({ params, c }) => {
      await deletePerson(c.var.context, params.userId);
      return { status: 204 };
    },
  );
}

const toDetailsView = ({ id, subject, email, name, issuer, scopes }: EndUser) => ({
  id,
  subject,
  email,
  ...(name === "" ? {} : { name }),
  ...(issuer === "" ? {} : { issuer }),
  scopes: [...scopes],
});
