import { readFileSync } from "node:fs";

/** Time between two measurements of a process, in milliseconds. */
const LOOK_MS = 60_000;
/** Factors of the last logged size from which a size is logged again: after growth, and after shrinking. */
const GROWN = 1.25;
const SHRUNK = 0.75;

/**
 * Logs the memory of a process whenever it has changed by a quarter, until the returned function is called. The runtime cannot measure its
 * memory: isolates know only their heaps, and most memory that a burst of work leaves behind is outside of the heaps.
 */
export function reportMemory(pid: number, onLog: (line: string) => void): () => void {
  let writtenMB = 0;
  const look = (): void => {
    const residentMB = residentMegabytes(pid);
    if (residentMB === undefined || !isWorthALine(residentMB, writtenMB)) return;
    writtenMB = residentMB;
    const time = new Date().toISOString();
    onLog(JSON.stringify({ level: "info", time, message: "memory of the runtime", residentMB }));
  };
  const timer = setInterval(look, LOOK_MS).unref();
  return () => clearInterval(timer);
}

export const isWorthALine = (residentMB: number, writtenMB: number): boolean =>
  residentMB >= writtenMB * GROWN || residentMB <= writtenMB * SHRUNK;

/** The resident memory of a process, in megabytes; undefined if the system does not tell, or the process has ended. */
export function residentMegabytes(pid: number): number | undefined {
  try {
    const [, kilobytes] =
      /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024);
  } catch {
    return undefined; // The system has no /proc, or the process has ended.
  }
}
