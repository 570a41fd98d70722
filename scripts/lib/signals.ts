/** Calls `stop` once, when this process is isStopping to end: by Ctrl-C, by `kill`, or because its terminal is closed. */
export function onStop(stop: () => void): void {
  let isStopping = false;
  const once = (): void => {
    if (isStopping) return;
    isStopping = true;
    stop();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, once);
  watchNpm(once);
}

const POLL_MS = 100;

/** A signal to npm ends the shell that npm started this process with, and the shell doesn't pass it on. */
function watchNpm(stop: () => void): void {
  if (!SCRIPTS.has(process.env["npm_lifecycle_event"] ?? "")) return;
  const shell = process.ppid;
  setInterval(() => {
    if (process.ppid !== shell) stop();
  }, POLL_MS).unref();
}

/** Those of package.json that run until they are stopped; a test that runs one has a name of its own. */
const SCRIPTS = new Set(["start", "dev"]);
