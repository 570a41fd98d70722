/** Calls `stop` once, at the first signal to end this process: Ctrl-C, `kill`, or a closed terminal. */
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

/** Stops when the shell between npm and this process ends: a signal to npm ends the shell, which does not forward the signal. */
function watchNpm(stop: () => void): void {
  if (!SCRIPTS.has(process.env["npm_lifecycle_event"] ?? "")) return;
  const shell = process.ppid;
  setInterval(() => {
    if (process.ppid !== shell) stop();
  }, POLL_MS).unref();
}

/** The scripts of package.json that run until they are stopped. Tests that start a server run under other script names. */
const SCRIPTS = new Set(["start", "dev", "listen", "generic-psp"]);
