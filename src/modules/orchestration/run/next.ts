/** What is to be done next with an instance: to go on, to wait for some milliseconds or for an event, or nothing, because it has ended. */
export type Next =
  | { readonly kind: "go-on" }
  | { readonly kind: "wait"; readonly waitMs: number }
  | { readonly kind: "wait-for-event" }
  | { readonly kind: "end" };

/** Longest time that an instance waits at once, in milliseconds. A longer delay is divided into several. */
export const WAIT_MS_MAX = 30 * 24 * 3_600_000;

export const END: Next = { kind: "end" };
export const GO_ON: Next = { kind: "go-on" };
