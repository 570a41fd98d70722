/** Most ledgers that are worked on at once. The server admits eight calls of backups and exports. */
export const LEDGERS_AT_ONCE = 4;

/** Works on some items at once. After a failure, those that are under way are ended, and no other one begins. */
export async function eachAtOnce<T>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const goOn = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  const workers = Array.from({ length: most }, () =>
    goOn().catch((error: unknown) => {
      waiting.length = 0;
      throw error;
    }),
  );
  const ends = await Promise.allSettled(workers);
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
