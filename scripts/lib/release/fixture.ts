import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { inProject, OperatorError } from "../project.ts";
import { startServer } from "../runtime/server.ts";
import { readLocalSettings } from "../settings/local.ts";
import { type LocalSecrets, StateFolder } from "../state.ts";
import { packState } from "./archive.ts";
import type { Facts } from "./world/facts.ts";
import { writeWorld } from "./world/world.ts";
import { FLORIN_VERSION } from "#platform/upgrade/version.ts";
import { buildWorker } from "#scripts/lib/build/worker.ts";
import { WebhookReceiver } from "#scripts/lib/receiver.ts";

/** The files of a release, below `test/releases/<version>/`. */
export const releaseFiles = (version: string) => {
  const file = (name: string): string => inProject("test/releases", version, name);
  return {
    folder: file("."),
    state: file("state.tar.gz"),
    worker: file("worker.js.br"),
    facts: file("facts.json"),
  };
};

/** Largest size of all files of a release together, in bytes. */
const BYTES_MAX = 2_000_000;

/** The keys of states of releases, which contain no secrets. */
const TEST_KEYS: LocalSecrets = {
  clientId: "florin-release",
  clientSecret: "a-test-key-of-a-state-of-a-release",
  secretKey: Buffer.alloc(32, "a test key of a release ").toString("base64"),
};

/** Makes the files of this version's release: a state with resources of all kinds, and the Worker that made the state. */
export async function makeFixture(note: (line: string) => void): Promise<void> {
  const files = releaseFiles(FLORIN_VERSION);
  const script = await buildWorker();
  const path = mkdtempSync(join(tmpdir(), "florin-release-"));
  try {
    writeFileSync(join(path, "secrets.json"), JSON.stringify(TEST_KEYS));
    const facts = await playOn(path, script);
    rmSync(files.folder, { recursive: true, force: true });
    mkdirSync(files.folder, { recursive: true });
    packState(path, files.state);
    writeFileSync(files.facts, `${JSON.stringify(facts, undefined, 2)}\n`);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
  const worker = readFileSync(script);
  const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  writeFileSync(files.worker, brotliCompressSync(worker, { params: quality }));
  let sum = 0;
  for (const file of [files.state, files.worker, files.facts]) {
    const bytes = statSync(file).size;
    sum += bytes;
    const hash = createHash("sha256").update(readFileSync(file)).digest("hex");
    note(`${file}: ${bytes} bytes, SHA-256 ${hash}`);
  }
  if (sum > BYTES_MAX) throw new OperatorError(`The files have ${sum} bytes, of ${BYTES_MAX}.`);
}

/** Runs a server on a state folder, and creates resources of all kinds. */
async function playOn(path: string, script: string): Promise<Facts> {
  const { varsWith } = readLocalSettings({ FLORIN_STATE_DIR: path });
  const folder = await StateFolder.open(path);
  const receiver = await WebhookReceiver.open();
  try {
    const secrets = folder.secrets();
    const server = await startServer({
      script,
      folder,
      port: 0,
      vars: varsWith(secrets),
      onLog: () => undefined,
    });
    try {
      return await writeWorld({ url: server.url, ...secrets }, receiver.url);
    } finally {
      await server.stop();
    }
  } finally {
    await receiver.close();
    folder.release();
  }
}
