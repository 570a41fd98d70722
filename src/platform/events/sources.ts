import type { EventSource } from "./source.ts";

const registered = new Map<string, EventSource>();

/**
 * Makes the sources of events known to those who read an event again long after its message: a delivery that is retried, a
 * stream that is resumed. Who wires the modules together calls it once, before anything else runs.
 */
export function registerSources(sources: readonly EventSource[]): void {
  for (const source of sources) registered.set(source.name, source);
}

/** The source of a kind of message. Throws if it was not registered. */
export function sourceNamed(name: string): EventSource {
  const source = registered.get(name);
  if (source === undefined) throw new Error(`no source of events is called ${name}`);
  return source;
}
