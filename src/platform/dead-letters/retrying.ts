import { deadLetterSettings } from "./dead-letter-settings.ts";
import { DEAD_LETTERS_SWEEP, EVENTS_QUEUE, TRIGGERS_QUEUE } from "./given-up.ts";
import { type DeadLetter, DeadLetterStore } from "./store.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { parseColumns } from "#platform/json.ts";
import { logError } from "#platform/log.ts";
import { watchChange } from "#platform/objects/deployment-clock.ts";
import { fromMillis, toMillis } from "#platform/time.ts";

/** Time that whoever sends a letter has for it, in milliseconds, until the sweep sends the letter. */
const SEND_MS_MAX = 60_000;
/** Most letters that a sweep sends. */
const SENDS_MAX = 100;

/** The queues that letters go back to. */
const QUEUES: Readonly<Record<string, (env: Env) => Queue>> = {
  [EVENTS_QUEUE]: (env) => env.EVENTS,
  [TRIGGERS_QUEUE]: (env) => env.TRIGGERS,
};

const objectOf = (id: number): string => `dead-letters/${id}`;

/**
 * Sends a waiting letter to its queue again, and returns it. Of several requests at once, one sends the letter, and the others get
 * `CONFLICT`. The letter is `retrying` before it is sent, so that the sweep sends it after a crash; the queue may then get it twice, which
 * its consumer is made for: it knows events by their ids. Throws `NOT_FOUND`.
 */
export async function retryDeadLetter(context: ServiceContext, id: number): Promise<DeadLetter> {
  const { env, clock } = context;
  const store = DeadLetterStore.from(env);
  const nowMs = toMillis(clock());
  await watchChange(env, DEAD_LETTERS_SWEEP, nowMs);
  const audited = new AuditedChange(context, {
    action: "deployment.dead-letter.retry",
    object: objectOf(id),
  });
  const [letter] = await audited.store(store.retry(id, fromMillis(nowMs + SEND_MS_MAX)));
  if (letter === undefined) {
    const { state } = await readDeadLetter(context, id);
    throw new AppError(
      "CONFLICT",
      `the dead letter is ${state}; it can be sent again when its queue has given it up again`,
    );
  }
  await send(context, letter);
  return readDeadLetter(context, id);
}

/** Deletes a letter. One that is being sent again may be sent all the same. Throws `NOT_FOUND`. */
export async function dropDeadLetter(context: ServiceContext, id: number): Promise<void> {
  const audited = new AuditedChange(context, {
    action: "deployment.dead-letter.delete",
    object: objectOf(id),
  });
  const deleted = await audited.store(DeadLetterStore.from(context.env).deletion(id));
  if (deleted.length === 0) throw unknownLetter();
}

/** Throws `NOT_FOUND`. */
export async function readDeadLetter({ env }: ServiceContext, id: number): Promise<DeadLetter> {
  const found = await DeadLetterStore.from(env).find(id);
  if (found === undefined) throw unknownLetter();
  return found;
}

const unknownLetter = () => new AppError("NOT_FOUND", "there is no dead letter with this id");

/** Sends the letters whose sending was interrupted, and deletes those of before the retention. Returns the time of the next sweep. */
export async function sweepDeadLetters(context: ServiceContext): Promise<number | undefined> {
  const { env, clock } = context;
  const store = DeadLetterStore.from(env);
  const now = clock();
  const sendAt = fromMillis(toMillis(now) + SEND_MS_MAX);
  for (const letter of await store.claimDue(now, sendAt, SENDS_MAX)) await send(context, letter);
  const { FLORIN_DEAD_LETTERS_RETENTION: retentionMs } = deadLetterSettings.of(env);
  return store.purge(toMillis(clock()), retentionMs);
}

/** Sends a letter that this caller has claimed. Never throws: after a failure, the sweep sends the letter. */
async function send({ env, clock }: ServiceContext, letter: DeadLetter): Promise<void> {
  try {
    const queue = QUEUES[letter.queue];
    if (queue === undefined) throw new Error(`no letter goes back to the queue ${letter.queue}`);
    await queue(env).send(parseColumns(letter.body), { contentType: "json" });
    await DeadLetterStore.from(env).noteSent(letter, clock());
  } catch (error) {
    logError("a dead letter could not be sent again; the sweep sends it", error, {
      letter: letter.id,
    });
  }
}
