import type { z } from "zod";
import type { PlatformEvent, WrittenEvent } from "./envelope.ts";
import type { EventsMessage } from "./messages.ts";
import type { ServiceContext } from "#platform/context.ts";

/** Takes events, and the message that names exactly these. It resolves when whatever follows from them is stored. */
export interface EventSink {
  (events: readonly PlatformEvent[], message: EventsMessage): Promise<void>;
  /** Whether it looks at no payload. Where none does, a source may give events without, as payloads are most of the work. */
  readonly isBare?: boolean;
}

/** What a source needs to deliver events. */
export interface EventDelivery {
  readonly sink: EventSink;
  readonly context: ServiceContext;
  /** Aborts when nobody waits for the delivery any more. No part is begun after that. */
  readonly signal: AbortSignal;
}

/** Events that were read again, to be sent as they are, and the last position up to which these are all. */
export interface RereadPart {
  readonly events: readonly WrittenEvent[];
  readonly to: number;
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
  /** Gives all events of a message to the sink, in parts, and confirms each part when the sink has taken it. */
  deliver(message: M, delivery: EventDelivery): Promise<void>;
  /**
   * The first events of a message again, whether they are confirmed or not: as many as one call gives. Undefined where all are
   * gone for good. It may take any time: objects that read all the time limit it by a deadline that they share. Absent for
   * a source that forgets confirmed events.
   */
  reread?(message: M, context: ServiceContext): Promise<RereadPart | undefined>;
  /** Confirms all events of a message without reading them: nobody wants them. */
  confirm(message: M, context: ServiceContext): Promise<void>;
}

/** A type of events, by the names that consumers know. */
export interface NamedType {
  /** `payments.saved_balance`. */
  readonly name: string;
  /** `SAVED_BALANCE`. */
  readonly rawType: string;
}

/** A listener for events. */
export interface EventListener {
  /** Whether it would take events of a type now. A listener without it may take all. */
  wants?(type: NamedType, context: ServiceContext): Promise<boolean>;
  /**
   * Lets it know which messages came, before any of their events is confirmed. Returns what takes the events; undefined
   * where it wants none of them.
   */
  open(messages: readonly EventsMessage[], context: ServiceContext): Promise<EventSink | undefined>;
}
