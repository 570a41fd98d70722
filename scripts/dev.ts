import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { prepareAssets } from "./lib/build/assets.ts";
import { run } from "./lib/main.ts";
import { inProject, ROOT, WRANGLER, WRANGLER_ENV } from "./lib/project.ts";
import { migrate } from "./lib/runtime/migrate.ts";
import { freePort } from "./lib/runtime/server.ts";
import { addressOf, readLocalSettings } from "./lib/settings.ts";
import { onStop } from "./lib/signals.ts";
import { StateFolder } from "./lib/state.ts";

/** `npm run dev` starts wrangler's reloading development server on the state and settings of `npm start`. */
async function dev(): Promise<void> {
  const settings = readLocalSettings(process.env);
  const port = await freePort(settings.port);
  const folder = await StateFolder.open(settings.statePath);
  const vars = settings.varsWith(folder.secrets());
  await prepareAssets();
  await migrate(folder.dataPath);
  // A plain `wrangler dev` has a state of its own, because it cannot know whether the state of `npm start` is in use.
  await migrate(inProject(".wrangler/state/v3"));
  writeFileSync(inProject(".dev.vars"), toDotenv(vars), { mode: 0o600 });
  runWrangler(folder, port);
  folder.announce(addressOf(`http://127.0.0.1:${port}`, vars));
}

function runWrangler(folder: StateFolder, port: number): void {
  const options = ["--ip", "127.0.0.1", "--port", String(port), "--persist-to", folder.path];
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

await run(dev);
