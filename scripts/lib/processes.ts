import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** The identity of a process, which differs from that of a later process with the same id. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The time of the start, as a text that can only be compared on this system. */
  readonly startedAt: string;
}

/** The identity of a process; undefined if the process does not run. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = existsSync("/proc/self/stat") ? startOnLinux(pid) : startElsewhere(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export const isAlive = ({ pid, startedAt }: ProcessIdentity): boolean =>
  identify(pid)?.startedAt === startedAt;

/** Ends a process by SIGTERM, or after a grace period by SIGKILL, and waits until it has ended. */
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

/** The start of a process in clock ticks since the boot, with the boot's id. A zombie counts as ended, because it holds no resources. */
function startOnLinux(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined; // The process does not exist.
  }
  // The second field is the name in parentheses, which may contain spaces, so that the other fields are counted from its end.
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
    return undefined; // `ps` fails if the process does not exist.
  }
}
