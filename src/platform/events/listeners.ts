import { eventName, type PlatformEvent } from "./envelope.ts";
import type { EventListener } from "./source.ts";
import type { ServiceContext } from "#platform/context.ts";

const registered = new Set<EventListener>();

/** Makes the listeners of all modules known to those who publish. Who wires the modules together calls it once, before anything else runs. */
export function registerListeners(listeners: readonly EventListener[]): void {
  for (const listener of listeners) registered.add(listener);
}

/**
 * Whether anybody takes events of a type now. It is asked only for events that say nothing new, such as the tenth confirmation of the same
 * balance, which cost more to publish than all else that is stored then. Whoever begins to listen later gets the later ones. Where nobody
 * has told who listens, somebody may.
 */
export async function isEventWanted(
  context: ServiceContext,
  event: Pick<PlatformEvent, "app" | "type">,
): Promise<boolean> {
  if (registered.size === 0) return true;
  const type = { name: eventName(event), rawType: event.type };
  const answers = await Promise.all(
    [...registered].map(async (listener) => (await listener.wants?.(type, context)) ?? true),
  );
  return answers.includes(true);
}
