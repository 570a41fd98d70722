import { z } from "@hono/zod-openapi";
import { given } from "#modules/payments/core/given.ts";
import { OptionalText } from "#modules/payments/http/fields.ts";
import { connectorIdParam, toUuid, uuidParam } from "#modules/payments/http/path-ids.ts";
import { publicUrlOf } from "#modules/payments/http/public-url.ts";
import { forwardUser } from "#modules/payments/users/forward.ts";
import { createLink, type CreatedLink } from "#modules/payments/users/links.ts";
import { ok, operations, registration } from "#platform/http/index.ts";

const Params = z.object({
  paymentServiceUserID: uuidParam("payment service user"),
  connectorID: connectorIdParam(),
});
const userLinks = operations({
  path: "/v3/payment-service-users/{paymentServiceUserID}/connectors/{connectorID}",
  tags: ["Payment service users"],
  scope: "payments",
  params: Params,
});
const ConnectionParams = Params.extend({ connectionID: z.string() });

const LinkRequest = z
  .object({
    applicationName: OptionalText.openapi({
      type: "string",
      description: "The name that the provider shows to the user. Some providers require it.",
    }),
    clientRedirectURL: z.url({ protocol: /^https?$/, error: "must be a valid URL" }).openapi({
      description: "The URL to which the browser is sent at the end.",
    }),
  })
  .openapi("PaymentServiceUserLinkRequest", {
    example: { applicationName: "Florin", clientRedirectURL: "https://app.example.com/linked" },
  });

const LinkQuery = z.object({
  "Idempotency-Key": z
    .string()
    .transform((text) => toUuid("link attempt", text))
    .optional()
    .openapi({
      type: "string",
      format: "uuid",
      description: "The id of the attempt. The same request with the same key has the same answer.",
    }),
});

const LinkResponse = z
  .object({ attemptID: z.string(), link: z.string() })
  .openapi("PaymentServiceUserLink");

const LINK = {
  ...ok.plain("The link", LinkResponse, ({ attemptId, url }: CreatedLink) => ({
    attemptID: attemptId,
    link: url,
  })),
  status: 201,
};

export const registerUserLinks = registration(
  userLinks.post("/forward", {
    operationId: "v3ForwardPaymentServiceUserToProvider",
    summary: "Forward a user to a connector's provider",
    answer: ok.empty("Forwarded"),
    errors: [404],
    handle: async ({ params, context }) => {
      const { paymentServiceUserID: userId, connectorID: connectorId } = params;
      await forwardUser(context, { userId, connectorId });
    },
  }),
  userLinks.post("/create-link", {
    operationId: "v3CreateLinkForPaymentServiceUser",
    summary: "Create a link by which a user connects to a bank",
    description: "The user opens the link in a browser. The answer has no envelope.",
    query: LinkQuery,
    body: LinkRequest,
    answer: LINK,
    errors: [404],
    handle: ({ params, query, body, context, c }) =>
      createLink(context, {
        userId: params.paymentServiceUserID,
        connectorId: params.connectorID,
        clientRedirectUrl: body.clientRedirectURL,
        publicUrl: publicUrlOf(c),
        ...given({
          attemptId: query["Idempotency-Key"],
          applicationName: body.applicationName,
        }),
      }),
  }),
  userLinks.post("/connections/{connectionID}/update-link", {
    operationId: "v3UpdateLinkForPaymentServiceUserOnConnector",
    summary: "Create a link by which a user renews the consent to a connection",
    params: ConnectionParams,
    query: LinkQuery,
    body: LinkRequest,
    answer: LINK,
    errors: [404],
    handle: ({ params, query, body, context, c }) =>
      createLink(context, {
        userId: params.paymentServiceUserID,
        connectorId: params.connectorID,
        connectionId: params.connectionID,
        clientRedirectUrl: body.clientRedirectURL,
        publicUrl: publicUrlOf(c),
        ...given({
          attemptId: query["Idempotency-Key"],
          applicationName: body.applicationName,
        }),
      }),
  }),
);
