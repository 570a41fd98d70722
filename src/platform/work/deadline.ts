/** When work as a whole has to end. */
export interface Deadline {
  readonly afterMs: number;
  /** What the signal of the work aborts with. */
  readonly reason: Error;
}

/** Does work with a signal that aborts at the deadline. The work itself has to heed it. */
export async function withDeadline<T>(
  { afterMs, reason }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(reason), afterMs);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
