import { eventName, type PlatformEvent } from "./envelope.ts";
import type { EventListener } from "./source.ts";
import type { ServiceContext } from "#platform/context.ts";

const registered = new Set<EventListener>();

/**
 * Records the listeners of all modules, for `isEventWanted`. The code that wires the modules together calls it once, before all other
 * code.
 */
export function registerListeners(listeners: readonly EventListener[]): void {
  for (const listener of listeners) registered.add(listener);
}

/**
 * Whether a listener takes events of a type now. Publishers ask only about events without news, such as the tenth confirmation of one
 * balance, whose publication costs more than the rest of the change. A listener that begins later gets later events. Without registered
 * listeners, the answer is yes.
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
