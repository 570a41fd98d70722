import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { Scopes } from "./schemas.ts";
import { invite } from "#modules/auth/administration/invitations.ts";
import { deletePerson, listPeople, setScopes } from "#modules/auth/administration/users.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import { invitationUrl } from "#modules/auth/pages/invitation.ts";
import { offerPasswordReset } from "#modules/auth/passwords/password-resets.ts";
import { EMAIL_LENGTH_MAX } from "#modules/auth/people/store.ts";
import { whoCanLogIn } from "#modules/auth/permits/administrators.ts";
import { issuerOf } from "#modules/auth/verification/issuer.ts";
import type { AppEnv } from "#platform/http/context.ts";
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
    canLogIn: z.boolean().openapi({
      description:
        "Whether the user can log in now. A user whose password no longer counts needs a link for a new one.",
    }),
  })
  .openapi("UserDetails");

/** Registers the operations of people below `/api/florin/v1`: invitations, scopes, password resets, deletion. */
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
        "Whoever opens the link chooses a password and can log in from then on. The link works once, within a week, and ends when whoever has made it loses scopes. Whoever invites needs all the scopes.",
      tags,
      scope: "auth:write",
      body: InvitationRequest,
      responses: { 201: json("The invitation", dataOf(InvitationView)), ...errors(409) },
    },
    async ({ body: { email = "", scopes }, c }) => {
      const { context } = c.var;
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
      const { context } = c.var;
      const [people, active] = await Promise.all([listPeople(context), whoCanLogIn(context)]);
      return { status: 200, body: { data: people.map((person) => toDetailsView(person, active)) } };
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
        "Whoever changes them needs those that the user has, gets, and had lately. Where the user gets more than before, a password ends that goes back to a link of somebody who could not have given so much, with all passkeys and sessions. Access tokens that were given before keep their scopes until they expire, five minutes after they were given. Only the first client may take scopes of the last administrator away.",
      tags,
      scope: "auth:write",
      params: UserParams,
      body: z.object({ scopes: Scopes }).openapi("UpdateUserRequest"),
      responses: { 200: json("The user", dataOf(UserDetails)), ...errors(404, 409) },
    },
    async ({ params, body: { scopes }, c }) => {
      const { context } = c.var;
      const person = await setScopes(context, params.userId, scopes);
      const active = await whoCanLogIn(context, person.id);
      return { status: 200, body: { data: toDetailsView(person, active) } };
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
        "Whoever opens the link sets the user's password. It works once, within a day, and replaces an earlier one; until then, the user logs in as before. With the new password, the user's sessions, refresh tokens and passkeys end. Whoever makes the link needs the scopes that the user has, and had lately.",
      tags,
      scope: "auth:write",
      params: UserParams,
      responses: { 201: json("The link", dataOf(PasswordResetView)), ...errors(404, 409) },
    },
    async ({ params: { userId }, c }) => {
      const { context } = c.var;
      const reset = await offerPasswordReset(context, userId);
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
        "The user is logged out and gets no more tokens. Access tokens that were given before end within a minute. Whoever deletes a user needs the scopes that the user has, and had lately; only the first client may delete the last administrator.",
      tags,
      scope: "auth:write",
      params: UserParams,
      responses: { 204: empty("There is no such user now"), ...errors(409) },
    },
    async ({ params, c }) => {
      await deletePerson(c.var.context, params.userId);
      return { status: 204 };
    },
  );
}

const toDetailsView = (
  { id, subject, email, name, issuer, scopes }: EndUser,
  active: ReadonlySet<string>,
) => ({
  id,
  subject,
  email,
  ...(name === "" ? {} : { name }),
  ...(issuer === "" ? {} : { issuer }),
  scopes: [...scopes],
  canLogIn: active.has(id),
});
