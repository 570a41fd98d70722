import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { findAccess } from "./account.ts";
import { CloudflareApi } from "./cloudflare.ts";
import { markComplete } from "./deployed-worker.ts";
import { planDestruction } from "./destroy.ts";
import { readEnvironment, standardEnvironment } from "./environment.ts";
import { inviteFirstPerson } from "./invitation.ts";
import type { DeployOptions } from "./options.ts";
import {
  type BuiltWorker,
  type DeployStep,
  type PlannedDeployment,
  planDeployment,
} from "./plan.ts";
import { publicUrlOf } from "./public-url.ts";
import { isLogged, PendingSecrets } from "./secrets.ts";
import { awaitHealth, smokeTest } from "./smoke-test.ts";
import type { uploadWorker } from "./wrangler.ts";
import { inProject, OperatorError } from "#scripts/lib/project.ts";
import type { Target } from "#scripts/lib/target.ts";

/** What the command uses of its surroundings. */
export interface DeployTools {
  readonly env: NodeJS.ProcessEnv;
  readonly write: (text: string) => void;
  /** Asks for a line; undefined if nobody can answer. */
  readonly ask: (question: string) => Promise<string | undefined>;
  readonly build: () => Promise<BuiltWorker>;
  readonly upload: typeof uploadWorker;
}

/** Makes or updates the deployment of an environment: plans, shows the plan, asks, and carries it out. Throws `OperatorError`. */
export async function deploy(options: DeployOptions, tools: DeployTools): Promise<void> {
  const deployment = await prepareDeployment(options, tools);
  const { environment, pending, url } = deployment;
  const release = lock(options.file);
  try {
    const steps = await planDeployment(deployment);
    if (steps.length > 0) {
      tools.write(describePlan(deployment, steps));
      if (!options.yes) await assertConfirmed(tools);
      await carryOut(steps, tools);
    }
    if (steps.every(({ isLocal }) => isLocal)) {
      await awaitHealth(url);
      tools.write(
        `\n${environment.name} is up to date at ${url}, and healthy. Nothing was changed there.\n`,
      );
    } else {
      await proveAndMark(deployment, tools);
    }
    tools.write(describeSecrets(pending.read(), tools.env));
    pending.remove();
  } finally {
    release();
  }
}

/** Deletes the deployment of an environment with all data, after its name was typed. Throws `OperatorError`. */
export async function destroy(options: DeployOptions, tools: DeployTools): Promise<void> {
  const { file, confirmed } = options;
  const environment = readEnvironment(file) ?? standardEnvironment(options.env);
  const { name } = environment;
  const api = new CloudflareApi(await findAccess(tools.env, environment.account_id));
  const release = lock(file);
  try {
    const deletions = await planDestruction({ api, environment, file });
    if (deletions.length === 0) {
      tools.write(`Nothing of ${name} is there. Nothing was changed.\n`);
      return;
    }
    const list = deletions.map(({ title }) => `  - ${title}`).join("\n");
    tools.write(`\nThis deletes for good, in the account ${api.accountId}:\n\n${list}\n\n`);
    const typed = confirmed ?? (await tools.ask(`Type ${name} to delete it: `));
    if (typed?.trim() !== name) {
      throw new OperatorError(`The name of the deployment was not typed. Nothing was changed.`);
    }
    await carryOut(deletions, tools);
    new PendingSecrets(file).remove();
    tools.write(`\n${name} is deleted.\n`);
  } finally {
    release();
  }
}

/** Builds the Worker and reads what the deployment follows from. */
async function prepareDeployment(
  { env, file }: DeployOptions,
  { env: processEnv, write, build, upload }: DeployTools,
): Promise<PlannedDeployment> {
  const known = readEnvironment(file);
  const environment = known ?? standardEnvironment(env);
  const access = await findAccess(processEnv, environment.account_id);
  const api = new CloudflareApi(access);
  const url = await publicUrlOf(api, environment);
  write("Building the Worker.\n");
  return {
    env,
    file,
    environment,
    hasFile: known !== undefined,
    url,
    api,
    access,
    pending: new PendingSecrets(file),
    processEnv,
    built: await build(),
    upload,
  };
}

/** Keeps two runs from using one environment file at once; the system releases the lock when its process ends in any way. */
function lock(file: string): () => void {
  const name = createHash("sha256").update(resolve(file)).digest("hex").slice(0, 16);
  const path = inProject("dist/deploy", `${name}.lock.sqlite`);
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    database.close();
    throw new OperatorError(`Another run uses ${file} at the moment.`, { cause });
  }
  return () => database.close();
}

const describePlan = (
  { env, environment, access, url }: PlannedDeployment,
  steps: readonly DeployStep[],
): string => `
The plan for ${environment.name} (environment ${env}, account ${access.accountId}), at ${url}:

${steps.map(({ title }, index) => `  ${index + 1}. ${title}`).join("\n")}

Then it tests the deployment.

`;

async function assertConfirmed({ ask }: DeployTools): Promise<void> {
  const answer = await ask("Carry out the plan? [y/N] ");
  if (answer === undefined) {
    throw new OperatorError(
      "Nobody can answer here, so nothing was changed. Pass --yes to carry out the plan.",
    );
  }
  if (!/^y(es)?$/i.test(answer.trim())) throw new OperatorError("Nothing was changed.");
}

async function carryOut(
  steps: readonly Pick<DeployStep, "title" | "run">[],
  { write }: DeployTools,
): Promise<void> {
  for (const [index, { title, run }] of steps.entries()) {
    write(`${index + 1}. ${title} …`);
    await finishing(write, run);
  }
}

/** Ends the line of a piece of work with its outcome. */
async function finishing(write: DeployTools["write"], work: () => Promise<void>): Promise<void> {
  try {
    await work();
    write(" done\n");
  } catch (error) {
    write(" failed\n");
    throw error;
  }
}

/** Tests what was deployed, marks it as complete, and prints how to use it. */
async function proveAndMark(deployment: PlannedDeployment, { write }: DeployTools): Promise<void> {
  const { api, environment, processEnv, url } = deployment;
  const takesBackup = environment.vars["FLORIN_RESTORE"] === "true";
  // Then it refuses ledgers and webhooks.
  const target = takesBackup ? undefined : targetOf(deployment);
  write(`${target === undefined ? "Asking for the health of" : "Testing"} ${url} …`);
  let untested: string | undefined;
  await finishing(write, async () => {
    await awaitHealth(url);
    if (target !== undefined) untested = await smokeTest(target);
  });
  await markComplete(api, environment.name);
  write(
    `\n${environment.name} runs.\n\n  URL            ${url}\n  Guide          ${url}/guide\n  API reference  ${url}/docs\n  Console        ${url}/console\n`,
  );
  if (untested !== undefined) write(`\nNo webhook was tested. ${untested}\n`);
  if (takesBackup) {
    write(takingBackup(deployment));
    return;
  }
  if (target === undefined) {
    write(
      "\nOnly the health of the modules was tested. With FLORIN_CLIENT_ID and FLORIN_CLIENT_SECRET of a client that has the scopes ledger:write and webhooks:write, the next deployment also makes a transaction and a webhook.\n",
    );
    return;
  }
  if (isLogged(processEnv)) return; // An invitation in a log would make its readers administrators.
  const invitation = await inviteFirstPerson(target);
  if (invitation === undefined) return;
  write(
    `\nThis link makes its reader the first person, an administrator. It works once, until ${invitation.expiresAt}:\n\n  ${invitation.url}\n`,
  );
}

/** How a backup comes into a deployment that takes one. */
const takingBackup = ({ env, environment: { name }, url }: PlannedDeployment): string => `
It takes a backup, and does nothing else: FLORIN_RESTORE is set. Its FLORIN_SECRET_KEY has to be that of the backup, as florin backup keys prints it. A Worker that had another one before gets it by

  npx wrangler secret put FLORIN_SECRET_KEY --name ${name}

In a minute, when isolates of before have finished their work, this brings the backup, with the client of the deployment:

  FLORIN_URL=${url} FLORIN_CLIENT_ID=… FLORIN_CLIENT_SECRET=… npm run florin -- backup restore <folder>

Then remove FLORIN_RESTORE from the environment file, and run npm run deploy -- --env ${env}.
`;

/** The deployment with a client whose secret is known: one of the environment, or the one that was just made. */
function targetOf({ pending, processEnv, url }: PlannedDeployment): Target | undefined {
  const known = { ...pending.read() };
  const clientId = known["FLORIN_CLIENT_ID"] ?? processEnv["FLORIN_CLIENT_ID"];
  const clientSecret = known["FLORIN_CLIENT_SECRET"] ?? processEnv["FLORIN_CLIENT_SECRET"];
  if (!clientId || !clientSecret) return undefined;
  return { url, clientId, clientSecret };
}

/** The secrets that were made; those that the environment gave are known. */
function describeSecrets(
  secrets: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
): string {
  const made = Object.entries(secrets).filter(([name, value]) => env[name] !== value);
  if (made.length === 0) return "";
  const lines = made.map(([name, value]) => `  ${name}=${value}`);
  return `\nThe deployment has these secrets, which nobody can read there. They are shown this once: keep them in a safe place.\n\n${lines.join("\n")}\n`;
}
