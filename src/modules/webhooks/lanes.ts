/** How jobs share the lanes. */
export interface LaneOptions<T> {
  /** Most jobs under way at once. */
  readonly lanes: number;
  /** The resource that jobs share and that can be slow: their endpoint. */
  readonly keyOf: (job: T) => string;
  /** Called before each job. Once it returns false, no further job is started. */
  readonly mayStart: () => boolean;
  /** Must not throw. */
  readonly run: (job: T) => Promise<void>;
}

/**
 * Runs jobs side by side and returns those that were not started. The next job is always one of the key with the fewest
 * under way, so that a key whose jobs hang takes no more than its share while others have work.
 */
export async function runFairly<T>(
  jobs: readonly T[],
  { lanes, keyOf, mayStart, run }: LaneOptions<T>,
): Promise<T[]> {
  const waiting = Map.groupBy(jobs, keyOf);
  const underWay = new Map<string, number>();
  const busy = (key: string): number => underWay.get(key) ?? 0;

  const take = (): [string, T] | undefined => {
    if (!mayStart()) return undefined;
    let least: string | undefined;
    for (const [key, left] of waiting) {
      if (left.length > 0 && (least === undefined || busy(key) < busy(least))) least = key;
    }
    const job = least === undefined ? undefined : waiting.get(least)?.shift();
    return least === undefined || job === undefined ? undefined : [least, job];
  };

  const lane = async (): Promise<void> => {
    for (let next = take(); next !== undefined; next = take()) {
      const [key, job] = next;
      underWay.set(key, busy(key) + 1);
      await run(job);
      underWay.set(key, busy(key) - 1);
    }
  };

  await Promise.all(Array.from({ length: lanes }, lane));
  return [...waiting.values()].flat();
}
