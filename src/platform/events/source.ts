import type { z } from "zod";
import type { PlatformEvent } from "./envelope.ts";
import type { EventsMessage } from "./messages.ts";
import type { ServiceContext } from "#platform/context.ts";

/** Some of the events of a message. */
export interface EventPart<M> {
  readonly events: readonly PlatformEvent[];
  /** The message that would name exactly these: what is confirmed when whatever follows from them is stored. */
  readonly read: M;
  /** Where to go on; undefined at the end. */
  readonly rest: M | undefined;
}

/**
 * How a consumer gets the events of one kind of message. Messages come twice, late and in any order, and events come again
 * until they are confirmed: consumers know them by their ids.
 */
export interface EventSource<M extends EventsMessage = EventsMessage> {
  readonly name: M["source"];
  readonly schema: z.ZodType<M>;
  /** What messages are about: those of one key are handled together, and hold up no others. */
  keyOf(message: M): string;
  /** As few messages as name all the events that some messages of one key name. */
  merge(messages: readonly M[]): M[];
  /** The first events of a message, as many as one call gives; undefined where they are gone for good. */
  read(message: M, context: ServiceContext): Promise<EventPart<M> | undefined>;
  confirm(message: M, context: ServiceContext): Promise<void>;
}

/** Takes events. It resolves when whatever follows from them is stored. */
export type EventSink = (events: readonly PlatformEvent[]) => Promise<void>;

/** A listener for events. */
export interface EventListener {
  /**
   * Lets it know which messages came, before any of their events is confirmed. Returns what takes the events; undefined
   * where it wants none of them.
   */
  open(messages: readonly EventsMessage[], context: ServiceContext): Promise<EventSink | undefined>;
}
