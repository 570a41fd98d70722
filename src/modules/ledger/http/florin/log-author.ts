import { z } from "@hono/zod-openapi";
import { LedgerService } from "#modules/ledger/service/service.ts";
import { IdParams } from "#modules/ledger/wire/schemas.ts";
import { ok, operations, registration } from "#platform/http/index.ts";

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

const logs = operations({ tags: ["Logs"], scope: "ledger" });

export const registerLogAuthor = registration(
  logs.get("/ledgers/{ledger}/logs/{id}/author", {
    operationId: "florinReadLogAuthor",
    summary: "Show who wrote a log entry",
    description:
      "The issuer, the subject and the client of the token with which the entry was written or imported. They are stored beside the log: the hash of the entry does not cover them, and an export does not contain them. All three are empty if the author is unknown.",
    params: IdParams,
    answer: ok.data("The author", LogAuthorResponse),
    errors: [404],
    handle: async ({ params, context }) => {
      const service = LedgerService.from(context);
      const author = await service.getAuthor(params.ledger, params.id);
      return author ?? UNKNOWN;
    },
  }),
);
