import { enableCompileCache, flushCompileCache } from "node:module";
import { buildWorker } from "./lib/build/worker.ts";
import { type Discovered, discover } from "./lib/discovery.ts";
import { type FirstSignIn, signInFirstPerson } from "./lib/first-person.ts";
import { run } from "./lib/main.ts";
import { COMPILED, commandOf } from "./lib/place.ts";
import { addressOf, readLocalSettings, unknownSettings } from "./lib/settings/local.ts";
import { shellWord } from "./lib/shell-word.ts";
import { onStop } from "./lib/signals.ts";
import { type ServerAddress, StateFolder } from "./lib/state.ts";
import { FLORIN_VERSION } from "#platform/upgrade/version.ts";

/** `npm start` runs the product on one machine, on loopback. */
async function start(): Promise<void> {
  const { host, port, statePath, varsWith } = readLocalSettings(process.env);
  for (const sentence of unknownSettings(process.env)) writeLog(sentence);
  process.stdout.write(`Florin ${FLORIN_VERSION} starts, with its data in ${statePath}.\n`);
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
  const { url } = await startServer({ script, folder, host, port, vars, onLog: writeLog });
  const address = addressOf(url, vars);
  folder.announce(address);
  flushCompileCache();
  const server = await discover(url);
  if (vars["FLORIN_RESTORE"] === "true") {
    process.stdout.write(takesBackup(address, folder.clientSecretPath));
    return;
  }
  const signIn = await firstSignIn(address, { vars, ...server });
  process.stdout.write(
    welcome(address, { ...server, signIn, secretPath: folder.clientSecretPath }),
  );
}

/** Writes the Worker's log to standard error, unchanged. */
function writeLog(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** How the first person signs in to the console. Without a link, which may fail, the server runs, too. */
async function firstSignIn(
  address: ServerAddress,
  { vars, ...server }: Discovered & { vars: Readonly<Record<string, string>> },
): Promise<FirstSignIn> {
  if (vars["FLORIN_AUTH"] === "off") return { sentence: "" };
  try {
    const loginIssuer = vars["FLORIN_LOGIN_ISSUER"];
    return await signInFirstPerson(address, { loginIssuer, ...server });
  } catch (error) {
    writeLog(`There is no link for the first person: ${String(error)}`);
    return { sentence: "" };
  }
}

/** What a server says that only takes a backup. The file `secretPath` has the secret of its client. */
const takesBackup = ({ url, clientId }: ServerAddress, secretPath: string): string => `
Florin is ready to take a backup, and does nothing else: FLORIN_RESTORE is set.

  Base URL       ${url}
  Client id      ${clientId}
  Client secret  in the file ${secretPath}

  ${commandOf("florin", "backup restore <folder>")}

FLORIN_SECRET_KEY has to be that of the backup, now and at each later start. This prints it, if the backup has its keys:

  ${commandOf("florin", "backup keys <folder> --passphrase-file <file>")}

The clients and people of the backup replace those of this server. When the backup is there, stop this server, and start it without FLORIN_RESTORE.

Ctrl-C stops it.
`;

/** What a server says that is ready. The file `secretPath` has the secret of its client, which curl reads there. */
function welcome(
  { url, clientId }: ServerAddress,
  {
    publicUrl,
    scopes,
    signIn,
    secretPath,
  }: Discovered & { readonly signIn: FirstSignIn; readonly secretPath: string },
): string {
  const scope = scopes.join(" ");
  const fields = `-d grant_type=client_credentials -d client_id=${clientId} -d 'scope=${scope}' --data-urlencode client_secret@-`;
  return `
Florin is ready.

  Base URL       ${url}
  Client id      ${clientId}
  Client secret  in the file ${secretPath}
  Guide          ${url}/guide
  API reference  ${url}/docs
  Console        ${publicUrl}/console
${signInText(signIn)}
Get a token:

  curl -s ${url}/api/auth/oauth/token ${fields} < ${shellWord(secretPath)}

Ctrl-C stops it.
`;
}

function signInText(signIn: FirstSignIn): string {
  if ("url" in signIn) {
    return `\nThis link signs in to the console, once, within ten minutes:\n\n  ${signIn.url}\n`;
  }
  return signIn.sentence === "" ? "" : `\n${signIn.sentence}\n`;
}

const USAGE = `Usage: ${commandOf("start")}

Runs Florin on this machine. It takes no options, but variables of the environment:

  HOST              the address to listen on, 127.0.0.1 by default
  PORT              the port, 8787 by default; 0 takes a free one
  FLORIN_STATE_DIR  the folder of all data and secrets, .florin by default
  FLORIN_…          the settings, which docs/settings.md lists`;

await run(start, { text: USAGE });
