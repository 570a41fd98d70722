import { z } from "@hono/zod-openapi";
import { offerSignIn } from "#modules/auth/administration/sign-in-links.ts";
import { CLIENT_ID_LENGTH_MAX } from "#modules/auth/core/client.ts";
import { signInUrl } from "#modules/auth/core/console.ts";
import { issuerOf } from "#modules/auth/verification/issuer.ts";
import { ok, operations, registration, TimestampOutput } from "#platform/http/index.ts";
import { platformSettings } from "#platform/platform-settings.ts";
import { formatTimestamp } from "#platform/time.ts";

const links = operations({ path: "/sign-in-links", tags: ["Users"], scope: "auth" });

const SignInLinkRequest = z
  .object({
    personId: z.string().max(CLIENT_ID_LENGTH_MAX).optional().openapi({
      description: "The user who signs in; without it, the user of the token.",
    }),
  })
  .openapi("SignInLinkRequest");

const SignInLinkView = z
  .object({
    url: z.url().openapi({ description: "The link for the user. It is not shown again." }),
    personId: z.string(),
    email: z.string(),
    expiresAt: TimestampOutput,
  })
  .openapi("SignInLink");

/** Registers `POST /api/florin/v1/sign-in-links`. */
export const registerSignInLinks = registration(
  links.post("", {
    operationId: "florinCreateSignInLink",
    summary: "Make a link that signs a user in",
    description:
      "Whoever opens the link is logged in to the console as the user. It works once, within ten minutes, and replaces an earlier one of the user. It ends when the user's scopes or password change, when the user is deleted, and when whoever has made it loses scopes. Whoever makes it needs the scopes that the user has, and had lately. There are no such links where people log in at another provider.",
    body: SignInLinkRequest.optional(),
    answer: ok.created("The link", SignInLinkView),
    errors: [404, 409],
    answerHeaders: { "cache-control": "no-store" },
    handle: async ({ body, context, c }) => {
      const { secret, person, expiresAt } = await offerSignIn(context, body?.personId);
      const issuer = issuerOf(platformSettings.of(c.env).FLORIN_PUBLIC_URL, c.req.url);
      const { id: personId, email } = person;
      return {
        url: signInUrl(issuer, secret),
        personId,
        email,
        expiresAt: formatTimestamp(expiresAt),
      };
    },
  }),
);
