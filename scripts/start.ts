import { buildWorker } from "./lib/build.ts";
import { run } from "./lib/main.ts";
import { startServer } from "./lib/server.ts";
import { addressOf, readLocalSettings } from "./lib/settings.ts";
import { onStop } from "./lib/signals.ts";
import { type ServerAddress, StateFolder } from "./lib/state.ts";

/** `npm start` runs the product on one machine, on loopback. */
async function start(): Promise<void> {
  const { port, statePath, varsWith } = readLocalSettings(process.env);
  const folder = await StateFolder.open(statePath);
  onStop(() => {
    folder.release();
    process.exit(0); // this ends the runtime, too
  });
  const vars = varsWith(folder.secrets());
  const script = await buildWorker();
  process.umask(0o077); // only the owner may read what the runtime writes
  process.env["TMPDIR"] = folder.temporaryPath;
  const { url } = await startServer({ script, folder, port, vars, onLog: writeLog });
  const address = addressOf(url, vars);
  folder.announce(address);
  process.stdout.write(welcome(address, await writeScopes(url)));
}

/** Writes the Worker's log to standard error, unchanged. */
function writeLog(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The scopes that together allow everything, read from the server itself. */
async function writeScopes(url: string): Promise<string[]> {
  const response = await fetch(`${url}/api/auth/.well-known/openid-configuration`);
  const { scopes_supported: scopes } = await response.json<{ scopes_supported: string[] }>();
  return scopes.filter((scope) => scope.endsWith(":write"));
}

function welcome(
  { url, clientId, clientSecret }: ServerAddress,
  scopes: readonly string[],
): string {
  const scope = scopes.join(" ");
  const fields = `-d grant_type=client_credentials -d client_id=${clientId} -d client_secret=${clientSecret} -d 'scope=${scope}'`;
  return `
Florin is ready.

  Base URL       ${url}
  Client id      ${clientId}
  Client secret  ${clientSecret}
  API reference  ${url}/docs

Get a token:

  curl -s ${url}/api/auth/oauth/token ${fields}

Ctrl-C stops it.
`;
}

await run(start);
