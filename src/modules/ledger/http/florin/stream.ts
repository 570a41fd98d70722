import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { AccountSelection, parseAccountPattern } from "#modules/ledger/live/account-selection.ts";
import { openLedgerStream } from "#modules/ledger/live/ledger-stream.ts";
import { type LogPosition, parseCursor } from "#modules/ledger/live/log-cursor.ts";
import { LedgerParams } from "#modules/ledger/wire/schemas.ts";
import { type AppEnv, endpoint, errors, texts } from "#platform/http/index.ts";
import { quoteJson } from "#platform/json.ts";

/** Most patterns of one stream. */
const PATTERNS_MAX = 100;

const KINDS = ["entry", "balances"] as const;
type Kind = (typeof KINDS)[number];

/** A list of texts, separated by commas, in one parameter or in several. */
const Listed = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((text) => text.split(",")));

/** A list whose items `parse` reads. `fault` says what an item is. */
const listOf = <T>(parse: (item: string) => T | undefined, fault: string) =>
  Listed.transform((items, context) =>
    items.map((item) => {
      const parsed = parse(item);
      if (parsed !== undefined) return parsed;
      context.addIssue({ code: "custom", message: `${quoteJson(item)} is not ${fault}` });
      return z.NEVER;
    }),
  );

const Accounts = listOf(
  parseAccountPattern,
  'an account or a pattern of accounts such as "users:*:main" or "users:..."',
).refine((items) => items.length <= PATTERNS_MAX, `at most ${PATTERNS_MAX} are taken`);

const Kinds = listOf(
  (item): Kind | undefined => KINDS.find((kind) => kind === item),
  'a kind of event: "entry" or "balances"',
);

const POSITION_FAULT =
  'expected the id of an event such as "123.9f3a1c2b", or the id of a log entry, or -1';

const Position = z.string().transform((text, context): LogPosition | undefined => {
  if (text === "") return undefined;
  const position = parseCursor(text);
  if (position !== undefined) return position;
  context.addIssue({ code: "custom", message: POSITION_FAULT });
  return z.NEVER;
});

const StreamQuery = z.object({
  events: Kinds.optional().openapi({
    type: "string",
    description:
      "Which events: `entry`, `balances`, or both with a comma between them. `entry`, if it is absent.",
    example: "entry,balances",
  }),
  accounts: Accounts.optional().openapi({
    type: "string",
    description: `Only what concerns these accounts: addresses and patterns, with commas between them, at most ${PATTERNS_MAX}. An empty segment or \`*\` stands for any segment, and \`...\` at the end for any further ones. Everything, if it is absent.`,
    example: "users:*:main,fees:...",
  }),
  after: Position.optional().openapi({
    type: "string",
    description:
      "The id of a log entry, or of an event, after which the stream begins; `-1` is before the first entry. Now, if it is absent.",
    example: "1207",
  }),
  follow: z.enum(["true", "false"]).optional().openapi({
    description: "`false` ends the stream when all that the log has now was sent.",
  }),
});

const StreamHeaders = z.object({
  "Last-Event-ID": Position.optional().openapi({
    type: "string",
    description: "The id of the last event, in place of `after`.",
  }),
});

const DESCRIPTION = `Server-sent events of new entries of the log. The log is what is sent, so nothing is missed and nothing comes twice, however long a client was away.

| Event | Data, as one line of JSON |
| --- | --- |
| \`entry\` | the entry as the list of log entries shows it; with \`accounts\`, only entries that concern one of them |
| \`balances\` | \`{"balances": [{"account", "asset", "input", "output", "balance", "logId"}]}\`: the volumes after the entry \`logId\`, one item for each account and asset that has moved |
| \`gap\` | \`{"reason"}\`: the position is none of this log, and the stream begins now. Read anew what you show |
| \`end\` | \`{"reason"}\`: the ledger is deleted |

Entries of at least 100 ms come together, and of several new balances of an account in one asset only the last is sent. An event has an SSE id. Send the last one as the header \`Last-Event-ID\`, or as \`after\`, when you connect again. Where a stream shows both kinds, the balances come first and have no id, and may come again after a reconnection. A comment comes every 15 seconds and moves the id on. The stream ends after an hour, and when the server is updated: connect again.

A slow reader misses nothing: it gets the entries from the log. A reader that reads nothing for a minute is cut off. Schemas and metadata of transactions concern no account.`;

/** Registers `GET /api/florin/v1/ledgers/{ledger}/stream`. */
export function registerLedgerStream(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/ledgers/{ledger}/stream",
      operationId: "florinStreamLedger",
      work: "stream",
      summary: "Follow a ledger",
      description: DESCRIPTION,
      tags: ["Logs"],
      scope: "ledger:read",
      params: LedgerParams,
      query: StreamQuery,
      headers: StreamHeaders,
      responses: { 200: texts("Events, until you leave", "text/event-stream"), ...errors(404) },
    },
    async ({
      params,
      query: { events = ["entry"], accounts, after, follow },
      headers,
      context,
    }) => {
      const stream = await openLedgerStream(context, params.ledger, {
        accounts: new AccountSelection(accounts),
        showsEntries: events.includes("entry"),
        showsBalances: events.includes("balances"),
        position: headers["Last-Event-ID"] ?? after,
        follows: follow !== "false",
      });
      return { status: 200, texts: stream };
    },
  );
}
