/**
 * Runs work; measures the milliseconds of processor time that it takes in this thread. Unlike wall-clock time, processor time
 * does not grow when other processes keep the machine busy.
 */
export function timed<T>(work: () => T): { readonly value: T; readonly cpuMs: number } {
  const before = process.threadCpuUsage();
  const value = work();
  const { user, system } = process.threadCpuUsage(before);
  return { value, cpuMs: (user + system) / 1000 };
}
