/** What whoever executes an instance does next: goes on, waits so long, waits for an event, or ends. */
export type Next =
  | { readonly kind: "go-on" }
  | { readonly kind: "wait"; readonly waitMs: number }
  | { readonly kind: "wait-for-event" }
  | { readonly kind: "end" };

/** Longest time that an instance sleeps or waits at once, in milliseconds. What is left is waited for afterwards. */
export const WAIT_MS_MAX = 30 * 24 * 3_600_000;

export const END: Next = { kind: "end" };
export const GO_ON: Next = { kind: "go-on" };
