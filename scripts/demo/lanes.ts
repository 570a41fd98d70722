/** Works on items, at most so many at once, in their order. The first failure ends it. */
export async function runInLanes<T>(
  items: readonly T[],
  lanes: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const item of waiting) await work(item);
    }),
  );
}
