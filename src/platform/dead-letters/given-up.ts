import { createHash } from "node:crypto";
import { deadLetterSettings } from "./dead-letter-settings.ts";
import { DeadLetterStore, type GivenUp } from "./store.ts";
import { systemClock } from "#platform/clock.ts";
import type { ServiceContext } from "#platform/context.ts";
import { stringifyJson } from "#platform/json.ts";
import { log, logError, recordedError } from "#platform/log.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { toMillis } from "#platform/time.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** The queue of events, and the queue of occurrences of triggers. */
export const EVENTS_QUEUE = "florin-events";
export const TRIGGERS_QUEUE = "florin-triggers";
/** The deliveries after which each queue gives a message up: one, and `max_retries` of wrangler.toml. */
export const DELIVERIES_MAX = { [EVENTS_QUEUE]: 11, [TRIGGERS_QUEUE]: 4 } as const;
export type LetterQueue = keyof typeof DELIVERIES_MAX;

/** The queue of the messages that a queue has given up. */
export const deadQueueOf = (queue: LetterQueue): string => `${queue}-dead`;
/** The queues of messages that were given up. */
export const DEAD_QUEUES: ReadonlySet<string> = new Set(
  ([EVENTS_QUEUE, TRIGGERS_QUEUE] as const).map(deadQueueOf),
);

/** The sweep that sends letters again and purges old ones. */
export const DEAD_LETTERS_SWEEP = "dead-letters";
/** Longest time from an arrival to the next sweep, in milliseconds. */
const SWEEP_AFTER_MS = 24 * 3_600_000;

/** Largest body that is stored, in bytes of its JSON: the platform takes messages of 128 kB. */
const BODY_BYTES_MAX = 131_072;
/**
 * Waits before a letter that could not be stored comes again. A hundred deliveries, which wrangler.toml allows, take four days, which is as
 * long as queues keep messages by default.
 */
const KEEP_BACKOFF = doubling(15_000, 3_600_000);

/** The wait of a letter that is not stored, before its next delivery, in milliseconds. */
export const waitInQueue = ({ attempts }: Message): number =>
  waitAfterFailures(KEEP_BACKOFF, attempts);

interface Context extends Pick<ServiceContext, "env" | "clock"> {
  /** The queue that the messages were sent to. */
  readonly queue: LetterQueue;
}

/**
 * Stores the messages of a queue of dead letters. A message is acknowledged when its row is stored; one that finds no room, in the database
 * or among `FLORIN_DEAD_LETTERS_KEPT` rows, stays in the queue and comes again.
 *
 *     florin-events ── 11 deliveries failed ──► florin-events-dead ──► row `waiting` ── operator ──► `retrying` ──► `retried`
 *           ▲     └─ the last one notes why ────────────────────────────►│  ▲                           │
 *           │                                                               └── given up again ─────────┤
 *           └───────────────────────────────── sent again ──────────────────────────────────────────────┘
 */
export const keepDeadLetters = (batch: MessageBatch, context: Context): Promise<void> =>
  keepAndAcknowledge(batch.messages, context, {});

/** Stores messages that no consumer can read, as if their queue had given them up, and acknowledges them. */
export const keepMalformed = (messages: readonly Message[], context: Context): Promise<void> =>
  keepAndAcknowledge(messages, context, {
    error: "the message is malformed: this version of Florin knows no such message",
    attempts: 1,
  });

/** Never throws. */
async function keepAndAcknowledge(
  messages: readonly Message[],
  context: Context,
  known: Partial<Pick<GivenUp, "error" | "attempts">>,
): Promise<void> {
  const letters = messages.map((message) => ({
    message,
    letter: letterOf(message.body, context, { ...known, messageId: message.id }),
  }));
  const stored = await keep(
    context,
    letters.flatMap(({ letter }) => letter ?? []),
  ).catch((error: unknown) => {
    logError("dead letters could not be stored; they stay in their queue", error);
    return new Set<string>();
  });
  for (const { message, letter } of letters) {
    if (letter !== undefined && stored.has(letter.key)) {
      message.ack();
      continue;
    }
    log("error", "a dead letter found no room; it stays in its queue", { messageId: message.id });
    message.retry({ delaySeconds: Math.ceil(waitInQueue(message) / 1000) });
  }
}

/**
 * Notes why messages were refused, if their queue is about to give them up. Never throws: without the note, the reason is in
 * the log alone.
 */
export async function noteRefused(
  messages: readonly Message[],
  error: unknown,
  context: Context,
): Promise<void> {
  const most = DELIVERIES_MAX[context.queue];
  const last = messages.filter(({ attempts }) => attempts >= most);
  const reason = recordedError(error);
  const letters = last.flatMap(
    ({ body, attempts }) => letterOf(body, context, { error: reason, attempts }) ?? [],
  );
  try {
    await keep(context, letters);
  } catch (failure) {
    logError("the reason of dead letters could not be noted", failure, { count: last.length });
  }
}

async function keep({ env }: Context, letters: readonly GivenUp[]): Promise<ReadonlySet<string>> {
  if (letters.length === 0) return new Set();
  // Alarms ring by the machine's clock.
  await armClock(env, DEAD_LETTERS_SWEEP, toMillis(systemClock()) + SWEEP_AFTER_MS);
  const { FLORIN_DEAD_LETTERS_KEPT: kept } = deadLetterSettings.of(env);
  return DeadLetterStore.from(env).keep(letters, kept);
}

/** A message as it is stored; undefined for one that is too large, or is no JSON. */
function letterOf(
  content: unknown,
  { clock, queue }: Context,
  known: Partial<Pick<GivenUp, "messageId" | "error" | "attempts">>,
): GivenUp | undefined {
  const body = jsonOf(content);
  if (body === undefined || Buffer.byteLength(body) > BODY_BYTES_MAX) return undefined;
  const key = createHash("sha256").update(`${queue}\n${body}`).digest("hex");
  return {
    key,
    queue,
    ledger: ledgerOf(content),
    body,
    date: clock(),
    messageId: null,
    error: null,
    attempts: null,
    ...known,
  };
}

/** The JSON of a message. What Florin sends has one; a message that somebody else has put into the queue may have none. */
function jsonOf(content: unknown): string | undefined {
  try {
    return stringifyJson(content ?? null);
  } catch (error) {
    logError("a message is no JSON", error);
    return undefined;
  }
}

const ledgerOf = (content: unknown): string | null =>
  typeof content === "object" &&
  content !== null &&
  "ledger" in content &&
  typeof content.ledger === "string"
    ? content.ledger
    : null;
