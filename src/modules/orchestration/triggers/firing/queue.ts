import { fireOccurrences } from "./fire.ts";
import type { FlowInstance } from "#modules/orchestration/instances/instance.ts";
import { STARTS_PER_CHANGE_MAX } from "#modules/orchestration/instances/start.ts";
import { carryOn } from "#modules/orchestration/run/carry-on.ts";
import { INLINE_MS_MAX } from "#modules/orchestration/run/execute-run.ts";
import {
  type AnnouncedOccurrence,
  OccurrenceMessage,
} from "#modules/orchestration/triggers/announce.ts";
import { readsLinks } from "#modules/orchestration/triggers/expressions.ts";
import { triggersByKey } from "#modules/orchestration/triggers/store.ts";
import { armingOf } from "#platform/arming/isolates.ts";
import type { ServiceContext } from "#platform/context.ts";
import { keepMalformed, noteRefused, TRIGGERS_QUEUE } from "#platform/dead-letters/given-up.ts";
import { acknowledgeAfter, parseMessages, type Received } from "#platform/events/queue.ts";
import { Lanes, settleAll } from "#platform/work/lanes.ts";

/**
 * How many occurrences that read links are fired at once, in all and of one trigger, and for how long each, in milliseconds. An occurrence
 * that takes longer is tried again by the sweep.
 */
const LINK_LANES = { total: 16, perKey: 4, timeoutMs: 45_000 };
/** How many instances are executed at once, in all and of one workflow, and for how long each, in milliseconds. */
const RUN_LANES = { total: 16, perKey: 4, timeoutMs: INLINE_MS_MAX };

/** What the messages of a batch have in common. */
interface Firing {
  readonly context: ServiceContext;
  /** Notes why messages were refused that the queue is about to give up. */
  readonly note: (failed: readonly Message[], error: unknown) => Promise<void>;
}

type Messages = readonly Received<AnnouncedOccurrence>[];

/**
 * Fires the occurrences of messages. Occurrences without links are fired together, so that many of them cost few statements; occurrences
 * that read links are fired in lanes. A message whose occurrence fails is sent again, and becomes a dead letter when the queue gives it up; the
 * sweep announces an occurrence that has to wait. While the deployment is disarmed, all wait: their rows stay due, and the sweep announces them
 * when it is armed.
 */
export async function consumeOccurrences(
  batch: MessageBatch,
  context: ServiceContext,
): Promise<void> {
  const letters = { ...context, queue: TRIGGERS_QUEUE } as const;
  const malformed: Message[] = [];
  const received = parseMessages(batch, OccurrenceMessage, (message) => malformed.push(message));
  await keepMalformed(malformed, letters);
  if (!(await armingOf(context.env).mayCall())) return batch.ackAll();
  if (received.length === 0) return;
  const firing: Firing = { context, note: (failed, error) => noteRefused(failed, error, letters) };
  const triggers = await triggersByKey(
    context,
    received.map(({ body }) => body.trigger),
  );
  const linking = new Set(triggers.filter(readsLinks).map(({ key }) => key));
  const { linked = [], plain = [] } = Object.groupBy(received, ({ body }) =>
    linking.has(body.trigger) ? "linked" : "plain",
  );
  await Promise.all([firePlain(firing, plain), fireLinked(firing, linked)]);
}

async function firePlain({ context, note }: Firing, received: Messages): Promise<void> {
  const started: FlowInstance[] = [];
  for (let at = 0; at < received.length; at += STARTS_PER_CHANGE_MAX) {
    const part = received.slice(at, at + STARTS_PER_CHANGE_MAX);
    const ids = part.map(({ body }) => body.id);
    const fire = async () => void started.push(...(await fireOccurrences(context, ids)));
    await acknowledgeAfter(part, fire, note);
  }
  await execute(context, started);
}

async function fireLinked({ context, note }: Firing, received: Messages): Promise<void> {
  const lanes = new Lanes({ ...LINK_LANES, waiting: received.length });
  await Promise.all(
    received.map((message) => {
      const { id, trigger } = message.body;
      const run = async () => execute(context, await fireOccurrences(context, [id]));
      return acknowledgeAfter([message], () => lanes.run({ key: String(trigger), run }), note);
    }),
  );
}

/** Executes instances for at most `INLINE_MS_MAX`. Unfinished instances go on with the runner, on the platform, or by the sweep. */
async function execute({ env }: ServiceContext, instances: readonly FlowInstance[]): Promise<void> {
  const untilMs = Date.now() + INLINE_MS_MAX;
  await settleAll(instances, {
    limits: RUN_LANES,
    keyOf: ({ workflow }) => workflow.id,
    run: (instance) => carryOn(env, instance, untilMs),
  });
}
