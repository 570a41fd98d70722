import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { CloudflareAccess } from "./cloudflare.ts";
import type { WranglerConfig } from "./config.ts";
import { commitOptions } from "#scripts/lib/build/commit.ts";
import { WORKER_SOURCES } from "#scripts/lib/build/worker.ts";
import { OperatorError, ROOT, WRANGLER, WRANGLER_ENV } from "#scripts/lib/project.ts";

/** A deployment by wrangler. */
export interface Upload {
  readonly config: WranglerConfig;
  /** The path of the configuration, which is written for wrangler. */
  readonly file: string;
  /** The path of a file with the secrets to set, if there are any. */
  readonly secretsFile: string | undefined;
  /** The fingerprint, by which a later run recognises the version. */
  readonly fingerprint: string;
}

/** Writes the configuration, and deploys it with `wrangler deploy`. Throws `OperatorError` with wrangler's output. */
export async function uploadWorker(access: CloudflareAccess, upload: Upload): Promise<void> {
  mkdirSync(dirname(upload.file), { recursive: true });
  writeFileSync(upload.file, `${JSON.stringify(upload.config, undefined, 2)}\n`);
  const secrets = upload.secretsFile === undefined ? [] : ["--secrets-file", upload.secretsFile];
  const options = ["--config", upload.file, "--tag", upload.fingerprint, ...secrets];
  await runWrangler(["deploy", ...options, ...commitOptions(WORKER_SOURCES)], {
    CLOUDFLARE_API_BASE_URL: access.base,
    CLOUDFLARE_API_TOKEN: access.token,
    CLOUDFLARE_ACCOUNT_ID: access.accountId,
  });
}

/** Runs wrangler, which asks nothing, and returns its standard output. Throws `OperatorError` with its output if it fails. */
export function runWrangler(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  // The empty file makes wrangler ignore `.env` and `.dev.vars`.
  const child = spawn(process.execPath, [WRANGLER, ...args, "--env-file=/dev/null"], {
    cwd: ROOT,
    env: { ...process.env, ...WRANGLER_ENV, CI: "true", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
    output += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(stdout);
      else reject(new OperatorError(`wrangler ${args[0]} failed:\n${output.trim()}`));
    });
  });
}
