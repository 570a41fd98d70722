import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The command `florin` of the package. It runs on every version of Node that npm itself runs on, and starts a script of the package with the
 * version of Node that the server needs:
 *
 *     npx florin start ─► command.js ─► Node 24 ─► server/start.js
 */

/** The folder of the command, in which are the scripts; package.json is two folders above. */
const FOLDER = dirname(fileURLToPath(import.meta.url));
/** The major version of Node that the scripts need. */
const NODE_MIN = 24;
/** Commands with scripts of their own. All others are nouns of the operators' command line. */
const COMMANDS: Readonly<Record<string, string>> = {
  start: "runs Florin on this machine, with its data in the folder .florin",
  demo: "plays a day on a marketplace against the running server, and checks every unit of money",
  listen: "shows events as they happen, and forwards them as webhooks",
};

const [command, ...rest] = process.argv.slice(2);

if (command === "--version" || command === "-v") {
  const text = readFileSync(join(FOLDER, "../../package.json"), "utf8");
  const { version } = JSON.parse(text) as { version: string }; // The package's own file.
  process.stdout.write(`${version}\n`);
} else {
  if (command === undefined || command === "help" || command === "--help" || command === "-h") {
    process.stdout.write(usage());
  }
  if (command !== undefined && Object.hasOwn(COMMANDS, command)) run(command, rest);
  else run("florin", process.argv.slice(2));
}

function usage(): string {
  const lines = Object.entries(COMMANDS).map(([name, does]) => `  ${name.padEnd(8)}${does}`);
  return `Usage: npx florin <command>\n\n${lines.join("\n")}\n\n`;
}

/** Runs a script of the package with the Node that it needs, and ends as the script ends. */
function run(script: string, args: readonly string[]): void {
  const node = findNode();
  if (node === undefined) {
    process.stderr.write(
      `Florin needs Node ${NODE_MIN}; this is ${process.versions.node}. The package "node", which has the right one, is not complete, because npm ran without install scripts. Either run \`npm rebuild node\` with install scripts allowed, or use Node ${NODE_MIN}.\n`,
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, [join(FOLDER, `server/${script}.js`), ...args], { stdio: "inherit" });
  // What is sent to this process alone, as by `docker stop`, is passed on. A second Ctrl-C, after the terminal's own, does no harm.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    process.stderr.write(`${node} does not run: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal ?? "SIGTERM"];
  });
}

/** The path of a Node that is new enough: this one, or that of the package `node`; undefined if there is none. */
function findNode(): string | undefined {
  if (Number(process.versions.node.split(".")[0]) >= NODE_MIN) return process.execPath;
  try {
    const folder = dirname(createRequire(import.meta.url).resolve("node/package.json"));
    return ["bin/node", "bin/node.exe"]
      .map((file) => join(folder, file))
      .find((file) => existsSync(file));
  } catch {
    return undefined; // The package is not installed.
  }
}
