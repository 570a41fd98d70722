import { afterAll } from "vitest";
import { forbiddenIn } from "./forbidden-in-logs.ts";

// The setup of each test file. No log line of the whole suite may show a secret, or a number of a card or an account.

const LEVELS = ["debug", "info", "log", "warn", "error"] as const;

declare global {
  /** Forbidden content of the log lines so far; absent before the first file of a process. */
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
