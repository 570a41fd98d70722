import { z } from "@hono/zod-openapi";
import { Ledgers, Scopes } from "./schemas.ts";
import { invite } from "#modules/auth/administration/invitations.ts";
import { addPerson } from "#modules/auth/administration/new-person.ts";
import { deletePerson, listPeople, setPermissions } from "#modules/auth/administration/users.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import { invitationUrl } from "#modules/auth/pages/invitation.ts";
import { offerPasswordReset } from "#modules/auth/passwords/password-resets.ts";
import { EMAIL_LENGTH_MAX, PERSON_NAME_LENGTH_MAX } from "#modules/auth/people/store.ts";
import { whoCanLogIn } from "#modules/auth/permits/administrators.ts";
import { issuerOf } from "#modules/auth/verification/issuer.ts";
import { ok, operations, registration, TimestampOutput } from "#platform/http/index.ts";
import { platformSettings } from "#platform/platform-settings.ts";
import { formatTimestamp } from "#platform/time.ts";

const people = operations({ tags: ["Users"], scope: "auth" });
const UserParams = z.object({ userId: z.string() });

const LedgersView = z.array(z.string()).openapi({
  description: "The only ledgers that the user's tokens reach; an empty list stands for all",
});

const InvitationRequest = z
  .object({
    email: z
      .email()
      .max(EMAIL_LENGTH_MAX)
      .optional()
      .openapi({ description: "The user's e-mail address; without it, the user chooses one." }),
    scopes: Scopes,
    ledgers: Ledgers.optional(),
  })
  .openapi("InvitationRequest");

const InvitationView = z
  .object({
    url: z.url().openapi({ description: "The link for the user. It is not shown again." }),
    email: z.string().optional(),
    scopes: z.array(z.string()),
    ledgers: LedgersView,
    expiresAt: TimestampOutput,
  })
  .openapi("Invitation");

const CreateUserRequest = z
  .object({
    // Unlike other schemas of addresses, that of HTML takes `operator@localhost`.
    email: z.email({ pattern: z.regexes.html5Email }).max(EMAIL_LENGTH_MAX),
    name: z.string().max(PERSON_NAME_LENGTH_MAX).optional(),
    scopes: Scopes,
    ledgers: Ledgers.optional(),
  })
  .openapi("CreateUserRequest");

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
    ledgers: LedgersView,
    canLogIn: z.boolean().openapi({
      description:
        "Whether the user can log in now, by a password or a passkey. A user without both needs a link, either to sign in or for a new password.",
    }),
  })
  .openapi("UserDetails");

const PasswordResetView = z
  .object({
    url: z.url().openapi({ description: "The link for the user. It is not shown again." }),
    email: z.string(),
    expiresAt: TimestampOutput,
  })
  .openapi("PasswordReset");

const toDetailsView = (
  { id, subject, email, name, issuer, scopes, ledgers }: EndUser,
  active: ReadonlySet<string>,
) => ({
  id,
  subject,
  email,
  ...(name === "" ? {} : { name }),
  ...(issuer === "" ? {} : { issuer }),
  scopes: [...scopes],
  ledgers: [...ledgers],
  canLogIn: active.has(id),
});

/** Registers the operations of people below `/api/florin/v1`: invitations, new people, scopes, password resets, deletion. */
export const registerPeople = registration(
  people.post("/invitations", {
    operationId: "florinInviteUser",
    summary: "Invite a user",
    description:
      "Whoever opens the link chooses a password and can log in from then on. The link works once, within a week, and ends when whoever has made it loses scopes. Whoever invites needs all the scopes and ledgers.",
    body: InvitationRequest,
    answer: ok.created("The invitation", InvitationView),
    errors: [409],
    answerHeaders: { "cache-control": "no-store" },
    handle: async ({ body: { email = "", scopes, ledgers = [] }, context, c }) => {
      const { token, expiresAt } = await invite(context, { email, scopes, ledgers });
      const issuer = issuerOf(platformSettings.of(c.env).FLORIN_PUBLIC_URL, c.req.url);
      return {
        url: invitationUrl(issuer, token),
        ...(email === "" ? {} : { email }),
        scopes,
        ledgers,
        expiresAt: formatTimestamp(expiresAt),
      };
    },
  }),
  people.get("/users", {
    operationId: "florinListUsers",
    summary: "List all users with their scopes",
    answer: ok.list("The users", UserDetails),
    handle: async ({ context }) => {
      const [people, active] = await Promise.all([listPeople(context), whoCanLogIn(context)]);
      return people.map((person) => toDetailsView(person, active));
    },
  }),
  people.post("/users", {
    operationId: "florinCreateUser",
    summary: "Add a user without a password",
    description:
      "The user gets in by a link that signs in, and then sets a password or adds a passkey. Whoever adds a user needs all the scopes and ledgers.",
    body: CreateUserRequest,
    answer: ok.created("The user", UserDetails),
    errors: [409],
    handle: async ({ body: { email, name = "", scopes, ledgers = [] }, context }) => {
      const person = await addPerson(context, { email, name, scopes, ledgers });
      return toDetailsView(person, new Set());
    },
  }),
  people.put("/users/{userId}", {
    operationId: "florinUpdateUser",
    summary: "Replace the scopes and the ledgers of a user",
    description:
      "Whoever changes them needs those that the user has, gets, and had lately. Without `ledgers`, the binding to ledgers stays. Where the user gets more than before, a password ends that goes back to a link of somebody who could not have given so much, with all passkeys and sessions. Access tokens that were given before keep theirs until they expire, five minutes after they were given. Only the first client may take scopes of the last administrator away.",
    params: UserParams,
    body: z.object({ scopes: Scopes, ledgers: Ledgers.optional() }).openapi("UpdateUserRequest"),
    answer: ok.data("The user", UserDetails),
    errors: [404, 409],
    handle: async ({ params, body, context }) => {
      const person = await setPermissions(context, params.userId, body);
      const active = await whoCanLogIn(context, person.id);
      return toDetailsView(person, active);
    },
  }),
  people.post("/users/{userId}/password-reset", {
    operationId: "florinResetPassword",
    summary: "Let a user choose a new password",
    description:
      "Whoever opens the link sets the user's password. It works once, within a day, and replaces an earlier one; until then, the user logs in as before. With the new password, the user's sessions, refresh tokens and passkeys end. Whoever makes the link needs the scopes that the user has, and had lately.",
    params: UserParams,
    answer: ok.created("The link", PasswordResetView),
    errors: [404, 409],
    answerHeaders: { "cache-control": "no-store" },
    handle: async ({ params: { userId }, context, c }) => {
      const reset = await offerPasswordReset(context, userId);
      const issuer = issuerOf(platformSettings.of(c.env).FLORIN_PUBLIC_URL, c.req.url);
      return {
        url: invitationUrl(issuer, reset.token),
        email: reset.email,
        expiresAt: formatTimestamp(reset.expiresAt),
      };
    },
  }),
  people.delete("/users/{userId}", {
    operationId: "florinDeleteUser",
    summary: "Delete a user, if there is one",
    description:
      "The user is logged out and gets no more tokens. Access tokens that were given before end within a minute. Whoever deletes a user needs the scopes that the user has, and had lately; only the first client may delete the last administrator.",
    params: UserParams,
    answer: ok.empty("There is no such user now"),
    errors: [409],
    handle: ({ params, context }) => deletePerson(context, params.userId),
  }),
);
