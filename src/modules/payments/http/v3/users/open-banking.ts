import { type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { connectorIdParam } from "#modules/payments/http/path-ids.ts";
import type { RedirectCallback } from "#modules/payments/jobs/job.ts";
import { receiveRedirect } from "#modules/payments/users/redirect.ts";
import { readText } from "#platform/http/body.ts";
import { type AppEnv, BooleanParam, empty, endpoint, errors } from "#platform/http/index.ts";

const TAGS = ["Payment service users"];
const PATH = "/v3/connectors/open-banking/{connectorID}";

/** Largest body of a redirect, in bytes. Providers send a few fields. */
const BODY_BYTES_MAX = 65_536;
/** Headers with the sender's credentials, which plugins do not get. */
const HIDDEN_HEADERS = new Set(["authorization", "cookie", "proxy-authorization"]);

const Query = z.object({
  state: z
    .string()
    .optional()
    .openapi({ description: "The state of the link. It has to be there exactly once." }),
  noRedirect: BooleanParam.openapi({ description: "The answer is 204, and no redirect." }),
});

/**
 * Registers the endpoint to which providers send browsers and their own callbacks. The state names the attempt and proves
 * that the request belongs to it.
 */
export function registerOpenBanking(app: OpenAPIHono<AppEnv>): void {
  for (const [method, operationId] of OPERATIONS) {
    endpoint(
      app,
      {
        method,
        path: `${PATH}/redirect`,
        aliases: [`${PATH}/*`],
        operationId,
        summary: "Return from a bank to the client",
        description: "Further parameters, and a body, are those of the provider.",
        tags: TAGS,
        scope: "public",
        params: z.object({ connectorID: connectorIdParam() }),
        // The schema accepts repeated states, so that `receiveRedirect` can refuse them.
        query: Query.extend({ state: z.union([z.string(), z.array(z.string())]).optional() }),
        responses: {
          204: empty("Taken"),
          307: empty("Taken; the browser goes on to the client"),
          ...errors(404, 413),
        },
      },
      async ({ params, query, context, c }) => {
        const callback = await callbackOf(c);
        const location = await receiveRedirect(context, {
          connectorId: params.connectorID,
          callback,
        });
        return query.noRedirect ? { status: 204 } : { status: 307, headers: { location } };
      },
    );
  }
}

const OPERATIONS = [
  ["get", "v3CompleteLinkByBrowser"],
  ["post", "v3CompleteLink"],
] as const;

async function callbackOf(c: Context<AppEnv>): Promise<RedirectCallback> {
  const headers = [...c.req.raw.headers].filter(([name]) => !HIDDEN_HEADERS.has(name));
  return {
    query: c.req.queries(),
    headers: Object.fromEntries(headers.map(([name, value]) => [name, [value]])),
    body: c.req.method === "GET" ? "" : await readText(c.req.raw, BODY_BYTES_MAX),
  };
}
