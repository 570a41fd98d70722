import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** A process that cannot be mistaken for a later one with the same id. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, as a text that is only good for comparisons on this system. */
  readonly startedAt: string;
}

/** The identity of a process, undefined if it does not run. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = existsSync("/proc/self/stat") ? startOnLinux(pid) : startElsewhere(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export const isAlive = ({ pid, startedAt }: ProcessIdentity): boolean =>
  identify(pid)?.startedAt === startedAt;

/** Asks a process to end, kills it if it does not, and waits until it is gone. */
export async function end(victim: ProcessIdentity): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (!isAlive(victim)) return;
    process.kill(victim.pid, signal);
    if (await isGoneWithin(victim, GRACE_MS)) return;
  }
  throw new Error(`process ${victim.pid} does not end`);
}

const GRACE_MS = 5000;
const POLL_MS = 20;

async function isGoneWithin(victim: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (isAlive(victim)) {
    if (Date.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

/** Clock ticks since the boot, together with the boot's id. A zombie holds nothing any more and counts as gone. */
function startOnLinux(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined; // there is no such process
  }
  // The second field is the name in parentheses, which may contain spaces, so the others are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state] = fields;
  if (state === "Z" || state === "X") return undefined;
  return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}/${fields[19]}`;
}

function startElsewhere(pid: number): string | undefined {
  try {
    const started = execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" });
    return started.trim() || undefined;
  } catch {
    return undefined; // `ps` fails where there is no such process
  }
}
