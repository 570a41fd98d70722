import { z } from "@hono/zod-openapi";
import {
  endPersonSession,
  listPasskeys,
  listSessions,
  type PersonSession,
  removePersonPasskey,
  SESSIONS_LISTED_MAX,
} from "#modules/auth/administration/credentials.ts";
import { ok, operations, registration, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp } from "#platform/time.ts";

const credentials = operations({ path: "/users/{userId}", tags: ["Users"], scope: "auth" });

const UserParams = z.object({ userId: z.string() });
const SessionParams = UserParams.extend({ sessionId: z.string() });
const PasskeyParams = UserParams.extend({ passkeyId: z.string() });

const SessionView = z
  .object({
    id: z.string().openapi({
      description: "Names the session in operations; the browser's cookie does not follow from it",
    }),
    authenticatedAt: TimestampOutput.openapi({ description: "When the user has logged in" }),
    expiresAt: TimestampOutput,
  })
  .openapi("UserSession");

const PasskeyView = z
  .object({
    id: z.string().openapi({ description: "The id of the WebAuthn credential, in base64url" }),
    uses: z.int().openapi({
      description: "How often the device has used the passkey; 0 for devices that do not count",
    }),
  })
  .openapi("UserPasskey");

const toSessionView = ({ id, authenticatedAt, expiresAt }: PersonSession) => ({
  id,
  authenticatedAt: formatTimestamp(authenticatedAt),
  expiresAt: formatTimestamp(expiresAt),
});

const NEEDS = "It needs the scopes that the user has, and had lately.";

/** Registers the operations of sessions and passkeys of people, below `/api/florin/v1/users/{userId}`. */
export const registerCredentials = registration(
  credentials.get("/sessions", {
    operationId: "florinListUserSessions",
    summary: "List the browsers in which a user is logged in",
    description: `The newest ${SESSIONS_LISTED_MAX} sessions that have not expired, newest first.`,
    params: UserParams,
    answer: ok.list("The sessions", SessionView, toSessionView),
    errors: [404],
    handle: ({ params, context }) => listSessions(context, params.userId),
  }),
  credentials.delete("/sessions/{sessionId}", {
    operationId: "florinEndUserSession",
    summary: "Log a user out of one browser, if the session is there",
    description: `The browser gets no new tokens. Access tokens that it has end within five minutes; refresh tokens of other clients stay. ${NEEDS}`,
    params: SessionParams,
    answer: ok.empty("There is no such session now"),
    errors: [404, 409],
    handle: ({ params: { userId, sessionId }, context }) =>
      endPersonSession(context, { personId: userId, id: sessionId }),
  }),
  credentials.get("/passkeys", {
    operationId: "florinListUserPasskeys",
    summary: "List the passkeys of a user",
    params: UserParams,
    answer: ok.list("The passkeys, at most 20", PasskeyView),
    errors: [404],
    handle: ({ params, context }) => listPasskeys(context, params.userId),
  }),
  credentials.delete("/passkeys/{passkeyId}", {
    operationId: "florinRemoveUserPasskey",
    summary: "Remove a passkey of a user, if it is there",
    description: `Nobody logs in with it from then on; sessions that have begun with it stay. ${NEEDS} Only the first client may remove the only way in of the last administrator.`,
    params: PasskeyParams,
    answer: ok.empty("There is no such passkey now"),
    errors: [404, 409],
    handle: ({ params: { userId, passkeyId }, context }) =>
      removePersonPasskey(context, { personId: userId, id: passkeyId }),
  }),
);
