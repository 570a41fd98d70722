import type { z } from "zod";
import type { PlatformEvent, WrittenEvent } from "./envelope.ts";
import type { EventsMessage } from "./messages.ts";
import type { ServiceContext } from "#platform/context.ts";

/** Takes events and the message that names exactly these events. Resolves when all effects of the events are stored. */
export interface EventSink {
  (events: readonly PlatformEvent[], message: EventsMessage): Promise<void>;
  /** Whether the sink ignores payloads. A source may leave payloads out if all sinks ignore them, because payloads are most of its work. */
  readonly isBare?: boolean;
}

export interface EventDelivery {
  readonly sink: EventSink;
  readonly context: ServiceContext;
  /** Aborts when the caller has given up the delivery. No part begins after the abort. */
  readonly signal: AbortSignal;
}

/** Events that were read again, in serialised form, and the last position up to which the part is complete. */
export interface RereadPart {
  readonly events: readonly WrittenEvent[];
  readonly to: number;
}

/**
 * The access of consumers to the events of one kind of message. Messages may come twice, late and in any order, and events come again until
 * they are confirmed; consumers recognise repeated events by their ids.
 */
export interface EventSource<M extends EventsMessage = EventsMessage> {
  readonly name: M["source"];
  readonly schema: z.ZodType<M>;
  /** The subject of a message. Messages of one key are handled together and hold up no other messages. */
  keyOf(message: M): string;
  /** Merges messages of one key into as few as possible that name the same events. */
  merge(messages: readonly M[]): M[];
  /** Gives all events of a message to the sink, in parts, and confirms each part when the sink has taken it. */
  deliver(message: M, delivery: EventDelivery): Promise<void>;
  /** Confirms all events of a message without reading them, for a message that no listener wants. */
  confirm(message: M, context: ServiceContext): Promise<void>;
}

/** The names of a type of events. */
export interface NamedType {
  /** The full name: `payments.saved_balance`. */
  readonly name: string;
  /** The raw type: `SAVED_BALANCE`. */
  readonly rawType: string;
}

export interface EventListener {
  /** Whether the listener would take events of a type now. A listener without this method may take events of all types. */
  wants?(type: NamedType, context: ServiceContext): Promise<boolean>;
  /**
   * Announces messages to the listener, before any of their events is confirmed. Returns the sink for the events; undefined if the listener
   * wants none of the events.
   */
  open(messages: readonly EventsMessage[], context: ServiceContext): Promise<EventSink | undefined>;
}
