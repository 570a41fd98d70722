import { newConnector } from "./lib/connectors/new-connector.ts";
import { run } from "./lib/main.ts";
import { inProject, OperatorError } from "./lib/project.ts";

/** `npm run connector:new <name>`: a folder for a new connector that compiles, with its conformance suite already red. */
async function main(): Promise<void> {
  const [name, ...others] = process.argv.slice(2);
  if (name === undefined || others.length > 0) {
    throw new OperatorError(USAGE);
  }
  const files = newConnector(inProject("."), name);
  const say = (line: string): boolean => process.stdout.write(`${line}\n`);
  for (const file of files) say(file);
  say("Now run `npm run format`. The suite of the connector fails until it is written:");
  say(`npx vitest run --config test/vitest.config.ts --project unit ${files.at(-1)}`);
}

const USAGE = `Usage: npm run connector:new <name>, such as acmepay

Makes a folder for a new connector that compiles, with a conformance suite that fails until the connector is written.`;

await run(main, { text: USAGE, hasOptions: true });
