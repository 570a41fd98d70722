import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { LedgerService } from "#modules/ledger/service/service.ts";
import { IdParams } from "#modules/ledger/wire/schemas.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { dataOf } from "#platform/http/schemas.ts";

const LogAuthorResponse = z
  .object({
    issuer: z.string().openapi({ description: "The issuer of the token" }),
    subject: z.string().openapi({ description: "A user, or the client if it acted for itself" }),
    clientId: z.string(),
  })
  .openapi("LogAuthor", {
    example: {
      issuer: "https://florin.example.com/api/auth",
      subject: "billing",
      clientId: "billing",
    },
  });

/** Stands for an unknown author, so that clients always read the same members. */
const UNKNOWN = { issuer: "", subject: "", clientId: "" };

export function registerLogAuthor(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/ledgers/{ledger}/logs/{id}/author",
      operationId: "florinReadLogAuthor",
      summary: "Show who wrote a log entry",
      description:
        "The issuer, the subject and the client of the token with which the entry was written or imported. They are stored beside the log: the hash of the entry does not cover them, and an export does not contain them. All three are empty if the author is unknown.",
      tags: ["Logs"],
      scope: "ledger:read",
      params: IdParams,
      responses: { 200: json("The author", dataOf(LogAuthorResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const service = LedgerService.from(c.get("context"));
      const author = await service.getAuthor(params.ledger, params.id);
      return { status: 200, body: { data: author ?? UNKNOWN } };
    },
  );
}
