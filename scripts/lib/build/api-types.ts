import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { buildWorker } from "./worker.ts";
import { inProject, ROOT } from "#scripts/lib/project.ts";
import { openRuntime, urlOf } from "#scripts/lib/runtime/runtime.ts";
import { readLocalSettings } from "#scripts/lib/settings/local.ts";
import { StateFolder } from "#scripts/lib/state.ts";

/** The types of the API, which the console imports as `#openapi`. */
const TYPES = inProject("dist/console-types/openapi.d.ts");

/** Writes the types of the API from the document of the built Worker, unless that Worker's types are there. */
export async function writeApiTypes(): Promise<void> {
  const script = await buildWorker();
  const heading = `// Made from the API document of the Worker ${basename(dirname(script))}.\n`;
  if (existsSync(TYPES) && readFileSync(TYPES, "utf8").startsWith(heading)) return;
  const folder = mkdtempSync(join(tmpdir(), "florin-openapi-"));
  try {
    const document = join(folder, "openapi.json");
    writeFileSync(document, await readDocument(script, folder));
    const types = join(folder, "openapi.d.ts");
    await promisify(execFile)(
      process.execPath,
      ["scripts/openapi-types/generate.ts", document, types],
      { cwd: ROOT },
    );
    mkdirSync(dirname(TYPES), { recursive: true });
    const fresh = `${TYPES}.${process.pid}`;
    writeFileSync(fresh, heading + readFileSync(types, "utf8"));
    renameSync(fresh, TYPES);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The API document, from the Worker itself on an empty state. */
async function readDocument(script: string, path: string): Promise<string> {
  const state = await StateFolder.open(join(path, "state"));
  const vars = readLocalSettings({}).varsWith(state.secrets());
  const { dataPath } = state;
  const runtime = await openRuntime({ script, dataPath, port: 0, vars, onLog: () => undefined });
  try {
    const { origin } = await urlOf(runtime);
    const answer = await fetch(`${origin}/openapi.json`);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`GET /openapi.json answers ${answer.status}: ${text}`);
    return text;
  } finally {
    await runtime.dispose();
    state.release();
  }
}
