import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { prepareAssets } from "./lib/build/assets.ts";
import { run } from "./lib/main.ts";
import { inProject, ROOT, WRANGLER, WRANGLER_ENV } from "./lib/project.ts";
import { migrate } from "./lib/runtime/migrate.ts";
import { freePort } from "./lib/runtime/server.ts";
import { addressOf, readLocalSettings, unknownSettings, urlOn } from "./lib/settings/local.ts";
import { onStop } from "./lib/signals.ts";
import { type ServerAddress, StateFolder } from "./lib/state.ts";

/** `npm run dev` starts wrangler's reloading development server on the state and settings of `npm start`. */
async function dev(): Promise<void> {
  const settings = readLocalSettings(process.env);
  for (const sentence of unknownSettings(process.env)) process.stderr.write(`${sentence}\n`);
  const { host } = settings;
  const port = await freePort(settings.port, host);
  const folder = await StateFolder.open(settings.statePath);
  const vars = settings.varsWith(folder.secrets());
  await prepareAssets();
  await migrate(folder.dataPath);
  // A plain `wrangler dev` has a state of its own, because it cannot know whether the state of `npm start` is in use.
  await migrate(inProject(".wrangler/state/v3"));
  writeFileSync(inProject(".dev.vars"), toDotenv(vars), { mode: 0o600 });
  const address = addressOf(urlOn(host, port), vars);
  process.stdout.write(welcome(address, folder.clientSecretPath));
  runWrangler(folder, ["--ip", host, "--port", String(port)]);
  folder.announce(address);
}

/** Which client gets a token, with its secret in the file `secretPath`, and how to sign in, once wrangler says that the server is ready. */
const welcome = ({ url, clientId }: ServerAddress, secretPath: string): string => `
Florin starts at ${url}, on the state of npm start.

  Client id      ${clientId}
  Client secret  in the file ${secretPath}
  Console        ${url}/console, signed in by a link of: npm run florin -- people sign-in-link <person>
                 (where there is nobody yet: npm run florin -- people invite --scopes <scopes>)

`;

/** Runs wrangler on a state folder, with options that say where it listens. */
function runWrangler(folder: StateFolder, listening: readonly string[]): void {
  const options = [...listening, "--persist-to", folder.path];
  const wrangler = spawn(process.execPath, ["--no-warnings", WRANGLER, "dev", ...options], {
    cwd: ROOT,
    env: { ...process.env, ...WRANGLER_ENV },
    stdio: "inherit",
  });
  if (wrangler.pid !== undefined) folder.recordRuntime(wrangler.pid);
  let stopping = false;
  onStop(() => {
    stopping = true;
    wrangler.kill();
  });
  wrangler.once("exit", (code) => {
    folder.release();
    process.exit(stopping ? 0 : (code ?? 1));
  });
}

/** Variables in the format of `.dev.vars`, which wrangler reads. */
function toDotenv(vars: Readonly<Record<string, string>>): string {
  const lines = Object.entries(vars).map(([name, value]) => {
    const quote = QUOTES.find((mark) => !value.includes(mark)) ?? "";
    return `${name}=${quote}${value}${quote}`;
  });
  return [
    "# Written by `npm run dev`, from the state folder and the environment.",
    ...lines,
    "",
  ].join("\n");
}

const QUOTES = ["'", '"', "`"];

const USAGE = `Usage: npm run dev

Runs Florin on this machine, and starts it anew whenever a source changes. It takes no options, but the variables of the environment that
npm start takes: HOST, PORT, FLORIN_STATE_DIR and the settings, which docs/settings.md lists.`;

await run(dev, { text: USAGE });
