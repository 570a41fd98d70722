import { afterAll } from "vitest";
import { forbiddenIn } from "./forbidden-in-logs.ts";

// This runs before each file of tests. Whatever is logged during the whole suite must not show a secret or a number of a card or an account.

const LEVELS = ["debug", "info", "log", "warn", "error"] as const;

declare global {
  /** What was logged and should not have been; absent before the first file of a process. */
  var forbiddenLogs: string[] | undefined;
}

if (globalThis.forbiddenLogs === undefined) {
  const found: string[] = [];
  globalThis.forbiddenLogs = found;
  for (const level of LEVELS) {
    const write = console[level].bind(console);
    console[level] = (...values: unknown[]) => {
      const line = values.map(String).join(" ");
      const forbidden = forbiddenIn(line);
      if (forbidden !== undefined) found.push(`${forbidden} in ${line.slice(0, 1000)}`);
      write(...values);
    };
  }
}

afterAll(() => {
  const found = globalThis.forbiddenLogs?.splice(0) ?? [];
  if (found.length > 0) throw new Error(`a log line shows ${found.join("; ")}`);
});
