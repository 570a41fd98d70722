import { readFileSync } from "node:fs";

/** How often the size of a process is looked at, in milliseconds. */
const LOOK_MS = 60_000;
/** A size is written when it has grown to this part of the last one that was, or shrunk to the other. */
const GROWN = 1.25;
const SHRUNK = 0.75;

/**
 * Writes the memory of a process to the log when it has changed by a quarter, until the result is called. The runtime cannot say it: its
 * isolates know their heaps only, and most of what a burst of work leaves behind is outside of them.
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

/** The memory of a process that is in use, in megabytes; undefined where the system does not say, or the process has ended. */
export function residentMegabytes(pid: number): number | undefined {
  try {
    const [, kilobytes] =
      /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024);
  } catch {
    return undefined; // there is no /proc, or no such process
  }
}
