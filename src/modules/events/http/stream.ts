import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { parsePattern } from "#modules/events/core/event-filter.ts";
import { openEventStream } from "#modules/events/event-stream.ts";
import { type AppEnv, endpoint, texts } from "#platform/http/index.ts";
import { quoteJson } from "#platform/json.ts";

/** Most patterns, and most ledgers, of one stream. */
const VALUES_MAX = 100;

/** A list of texts, separated by commas, in one parameter or in several. */
const Listed = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((text) => text.split(",")))
  .refine((items) => items.length <= VALUES_MAX, `at most ${VALUES_MAX} are taken`);

const PATTERN_FAULT =
  'a type is a name such as "ledger.committed_transactions", all of a module such as "ledger.*", or "*"';

const Types = Listed.transform((items, context) =>
  items.map((item) => {
    const pattern = parsePattern(item);
    if (pattern !== undefined) return pattern;
    context.addIssue({
      code: "custom",
      message: `${quoteJson(item)} is no type: ${PATTERN_FAULT}`,
    });
    return z.NEVER;
  }),
);

const StreamQuery = z.object({
  types: Types.optional().openapi({
    type: "string",
    description: `Which events: names, \`app.*\` or \`*\`, with commas between them. All of them, if it is absent.`,
    example: "ledger.*,payments.saved_payment",
  }),
  ledger: Listed.optional().openapi({
    type: "string",
    description: "Only events of these ledgers, with commas between their names.",
  }),
  follow: z.enum(["true", "false"]).optional().openapi({
    description: "`false` ends the stream when all that is stored was sent.",
  }),
});

const StreamHeaders = z.object({
  "Last-Event-ID": z
    .string()
    .transform((id) => (id === "" ? undefined : id))
    .optional()
    .openapi({
      type: "string",
      description:
        "The id after which the stream goes on. The answer to an id that the stream does not know begins with a `gap`.",
    }),
});

const DESCRIPTION = `Server-sent events. The data of each is one line of JSON, \`{"id": …, "event": …}\`: the id by which consumers know the event, and the body that webhooks deliver.

Each has an SSE id. Send the last one as the header \`Last-Event-ID\` when you connect again, within ten minutes: what came meanwhile follows, as long as it is among the last 10,000 events. Where events may be missing, an SSE event named \`gap\` says so and why. A comment comes every 15 seconds. The stream ends after an hour, and when the server is updated: connect again.

Streams are for watching. They are the best effort, events may come twice and out of order, and a reader that is too slow for the last 10,000 events gets a gap. What must not be missed is for webhooks and pipelines. At most 100 streams are open at once; one more is answered with 503.`;

/** Registers `GET /api/florin/v1/events/stream`. */
export function registerEventStream(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/events/stream",
      operationId: "florinStreamEvents",
      work: "stream",
      summary: "Follow events as they happen",
      description: DESCRIPTION,
      tags: ["Event stream"],
      scope: "webhooks:read",
      query: StreamQuery,
      headers: StreamHeaders,
      responses: { 200: texts("Events, until you leave", "text/event-stream") },
    },
    async ({ query: { types = ["*"], ledger, follow }, headers, context }) => {
      const stream = await openEventStream(context, {
        filter: { types, ledgers: ledger },
        lastEventId: headers["Last-Event-ID"],
        follows: follow !== "false",
      });
      return { status: 200, texts: stream };
    },
  );
}
