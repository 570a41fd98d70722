import { z } from "@hono/zod-openapi";
import {
  dropDeadLetter,
  readDeadLetter,
  retryDeadLetter,
} from "#platform/dead-letters/retrying.ts";
import {
  DEAD_LETTER_FILTERS,
  type DeadLetter,
  DeadLetterStore,
} from "#platform/dead-letters/store.ts";
import {
  Count,
  deploymentOf,
  ListParams,
  type ListRules,
  ok,
  operations,
  registration,
  TimestampOutput,
  TimestampParam,
  toPageQuery,
} from "#platform/http/index.ts";
import { parseColumns } from "#platform/json.ts";
import { formatTimestamp } from "#platform/time.ts";

const State = z.enum(["waiting", "retrying", "retried"]).openapi({
  description:
    "`waiting` for an operator; `retrying` from the request for another attempt until the queue has taken the message; then `retried`. A message that the queue gives up again waits again.",
});

const DeadLettersQuery = ListParams.extend({
  state: State.optional(),
  queue: z.string().max(100).optional().openapi({ example: "florin-events" }),
  ledger: z.string().max(100).optional().openapi({
    description: "Only messages about this ledger.",
  }),
  startTime: TimestampParam.openapi({
    description: "Only letters that first came at this date or later.",
  }),
  endTime: TimestampParam.openapi({
    description: "Only letters that first came before this date.",
  }),
});

const LetterParams = z.object({
  letterID: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, "expected the id of a dead letter")
    .transform(Number)
    .openapi({ type: "integer", example: 7 }),
});

const DeadLetterResponse = z
  .object({
    id: Count,
    state: State,
    queue: z.string().openapi({ description: "The queue that has given the message up" }),
    ledger: z.string().optional().openapi({
      description: "The ledger that the message is about; absent if it names none",
    }),
    body: z.unknown().openapi({
      description:
        "The message: where the events are, which are kept by the ledger or the outbox that announced them",
    }),
    error: z.string().optional().openapi({
      description:
        "Why the consumer refused the message last; absent if it was cut off each time before it could say so",
    }),
    attempts: Count.optional().openapi({
      description: "Deliveries that failed before the queue gave the message up",
    }),
    arrivals: Count.openapi({
      description:
        "How often the queue has given up a message of this content; 0 while it is about to",
    }),
    retries: Count.openapi({ description: "How often operators have sent the message again" }),
    firstSeen: TimestampOutput,
    lastSeen: TimestampOutput,
    sentAt: TimestampOutput.optional().openapi({
      description: "When the queue has taken the message after a retry; absent for never",
    }),
  })
  .openapi("DeadLetter", {
    example: {
      id: 7,
      state: "waiting",
      queue: "florin-events",
      ledger: "shop",
      body: {
        source: "ledger",
        ledger: "shop",
        uuid: "9f1c1a80-3f0e-4f7b-8a55-1d2c3b4a5e6f",
        from: 12,
        to: 14,
      },
      error: "Error: the ledger is down",
      attempts: 11,
      arrivals: 1,
      retries: 0,
      firstSeen: "2026-03-01T09:30:00Z",
      lastSeen: "2026-03-01T09:30:00Z",
    },
  });

const LIST_RULES: ListRules = {
  list: "dead-letters",
  columns: { first_seen: "date" },
  column: "first_seen",
  order: "desc",
  options: DEAD_LETTER_FILTERS,
};

const toView = (letter: DeadLetter): z.input<typeof DeadLetterResponse> => {
  const { id, state, queue, ledger, body, error, attempts, arrivals, retries, sentAt } = letter;
  return {
    id,
    state,
    queue,
    ...(ledger === null ? {} : { ledger }),
    body: parseColumns(body),
    ...(error === null ? {} : { error }),
    ...(attempts === null ? {} : { attempts }),
    arrivals,
    retries,
    firstSeen: formatTimestamp(letter.firstSeen),
    lastSeen: formatTimestamp(letter.lastSeen),
    ...(sentAt === null ? {} : { sentAt: formatTimestamp(sentAt) }),
  };
};

/** Letters name ledgers, so that a token which is bound to ledgers reaches none. */
const letters = operations({
  path: "/dead-letters",
  tags: ["Dead letters"],
  scope: "florin",
  honoursLedgers: false,
});
/** The scope of all operations. */
const OPERATE = { scope: "florin:operate" } as const;

/** Registers the operations on dead letters, below `/api/florin/v1/dead-letters`. */
export const registerDeadLetters = registration(
  letters.get("", {
    ...OPERATE,
    operationId: "florinListDeadLetters",
    summary: "List the messages that a queue has given up",
    description:
      "Newest first. A message that is given up again and again is one letter. Letters are kept for `FLORIN_DEAD_LETTERS_RETENTION`.",
    query: DeadLettersQuery,
    answer: ok.page("A page of dead letters", DeadLetterResponse, toView),
    handle: ({ query, context, c }) => {
      const { cursor, pageSize, sort, ...given } = query;
      const defined = Object.entries(given).filter(([, value]) => value !== undefined);
      const options = { ...DEAD_LETTER_FILTERS, ...Object.fromEntries(defined) };
      const list = { cursor, pageSize, sort, options };
      const wanted = toPageQuery(list, LIST_RULES, deploymentOf(c).settings);
      return DeadLetterStore.from(context.env).list(wanted);
    },
  }),
  letters.get("/{letterID}", {
    ...OPERATE,
    operationId: "florinReadDeadLetter",
    summary: "Read a dead letter",
    params: LetterParams,
    answer: ok.data("The letter", DeadLetterResponse, toView),
    errors: [404],
    handle: ({ params, context }) => readDeadLetter(context, params.letterID),
  }),
  letters.post("/{letterID}/retry", {
    ...OPERATE,
    operationId: "florinRetryDeadLetter",
    summary: "Send a dead letter to its queue again",
    description:
      "Of several requests at once, one sends the letter, and the others are answered with 409. Events that were confirmed meanwhile are not delivered again.",
    params: LetterParams,
    answer: ok.data("The letter", DeadLetterResponse, toView),
    errors: [404, 409],
    handle: ({ params, context }) => retryDeadLetter(context, params.letterID),
  }),
  letters.delete("/{letterID}", {
    ...OPERATE,
    operationId: "florinDropDeadLetter",
    summary: "Drop a dead letter",
    description:
      "Only the message is deleted. Its events are announced again by the ledger or the outbox that has them, as long as they are not confirmed.",
    params: LetterParams,
    answer: ok.empty("The letter is gone"),
    errors: [404],
    handle: ({ params, context }) => dropDeadLetter(context, params.letterID),
  }),
);
