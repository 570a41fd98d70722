import { enableCompileCache, flushCompileCache } from "node:module";
import { buildWorker } from "./lib/build/worker.ts";
import { inviteFirstPerson } from "./lib/first-person.ts";
import { run } from "./lib/main.ts";
import { COMPILED } from "./lib/project.ts";
import { addressOf, readLocalSettings } from "./lib/settings.ts";
import { onStop } from "./lib/signals.ts";
import { type ServerAddress, StateFolder } from "./lib/state.ts";

/** `npm start` runs the product on one machine, on loopback. */
async function start(): Promise<void> {
  const { port, statePath, varsWith } = readLocalSettings(process.env);
  const folder = await StateFolder.open(statePath);
  onStop(() => {
    folder.release();
    process.exit(0); // The runtime ends with this process.
  });
  const vars = varsWith(folder.secrets());
  const script = await buildWorker();
  // The programs that run the Worker take most of the time of a start. A refused start does not load them, and their compiled code is
  // cached.
  enableCompileCache(COMPILED);
  const { startServer } = await import("./lib/runtime/server.ts");
  process.umask(0o077); // Only the owner may read the files of the runtime.
  process.env["TMPDIR"] = folder.temporaryPath;
  const { url } = await startServer({ script, folder, port, vars, onLog: writeLog });
  const address = addressOf(url, vars);
  folder.announce(address);
  flushCompileCache();
  const scopes = await writeScopes(url);
  const invitation =
    vars["FLORIN_AUTH"] === "off" ? undefined : await invitationFor(address, scopes);
  process.stdout.write(welcome(address, { scopes, invitation }));
}

/** Writes the Worker's log to standard error, unchanged. */
function writeLog(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The write scopes of all modules, read from the server itself. */
async function writeScopes(url: string): Promise<string[]> {
  const response = await fetch(`${url}/api/auth/.well-known/openid-configuration`);
  const { scopes_supported: scopes } = await response.json<{ scopes_supported: string[] }>();
  return scopes.filter((scope) => scope.endsWith(":write"));
}

/** The link for the first person; undefined if it could not be made, without which the server runs, too. */
async function invitationFor(
  address: ServerAddress,
  scopes: readonly string[],
): Promise<string | undefined> {
  try {
    return await inviteFirstPerson(address, scopes);
  } catch (error) {
    writeLog(`There is no invitation for the first person: ${String(error)}`);
    return undefined;
  }
}

function welcome(
  { url, clientId, clientSecret }: ServerAddress,
  { scopes, invitation }: { scopes: readonly string[]; invitation: string | undefined },
): string {
  const scope = scopes.join(" ");
  const fields = `-d grant_type=client_credentials -d client_id=${clientId} -d client_secret=${clientSecret} -d 'scope=${scope}'`;
  return `
Florin is ready.

  Base URL       ${url}
  Client id      ${clientId}
  Client secret  ${clientSecret}
  API reference  ${url}/docs
${invitation === undefined ? "" : `\nThe first person who logs in opens this link once, within a week:\n\n  ${invitation}\n`}
Get a token:

  curl -s ${url}/api/auth/oauth/token ${fields}

Ctrl-C stops it.
`;
}

await run(start);
