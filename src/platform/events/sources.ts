import type { EventSource } from "./source.ts";

const registered = new Map<string, EventSource>();

/**
 * Records the sources of events, for code that reads events again long after their message: a retried delivery, a resumed stream. The entry
 * that wires the modules together calls it once, before all other code.
 */
export function registerSources(sources: readonly EventSource[]): void {
  for (const source of sources) registered.set(source.name, source);
}

/** The source of a kind of message. Throws if the source was not registered. */
export function sourceNamed(name: string): EventSource {
  const source = registered.get(name);
  if (source === undefined) throw new Error(`no source of events is called ${name}`);
  return source;
}
