import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { FaultPlan } from "./generic-psp/faults.ts";
import { Provider } from "./generic-psp/provider.ts";
import { ProviderServer } from "./generic-psp/server.ts";
import { run } from "./lib/main.ts";
import { OperatorError } from "./lib/project.ts";
import { onStop } from "./lib/signals.ts";

/** Most accounts, beneficiaries or transactions. */
const COUNT_MAX = 1_000_000;
const PORT_MAX = 65_535;

/** `npm run generic-psp`: a payment provider in memory that offers the contract of the generic connector. */
async function main(): Promise<void> {
  const options = parse(process.argv.slice(2));
  const seed = integer("seed", options.seed, COUNT_MAX);
  const provider = new Provider({
    seed,
    accounts: integer("accounts", options.accounts, COUNT_MAX),
    beneficiaries: integer("beneficiaries", options.beneficiaries, COUNT_MAX),
    transactions: integer("transactions", options.transactions, COUNT_MAX),
  });
  const percent = integer("faults", options.faults, 100);
  const apiKey = options["api-key"] ?? randomBytes(16).toString("hex");
  const server = await ProviderServer.start(provider, {
    apiKey,
    port: integer("port", options.port, PORT_MAX),
    ...(percent === 0 ? {} : { faults: new FaultPlan({ seed, rate: percent / 100 }) }),
  });
  onStop(() => void server.stop().then(() => process.exit(0)));
  const config = { name: "generic", apiKey, endpoint: server.url, pollingPeriod: "20m" };
  process.stdout.write(
    `The provider answers at ${server.url}. Ctrl-C ends it and forgets everything.\n` +
      `Install it: POST /api/payments/v3/connectors/install/generic\n${JSON.stringify(config)}\n`,
  );
}

function parse(args: readonly string[]) {
  const number = (standard: string) => ({ type: "string", default: standard }) as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: number("0"),
        "api-key": { type: "string" },
        seed: number("1"),
        accounts: number("5"),
        beneficiaries: number("3"),
        transactions: number("100"),
        faults: number("0"),
      },
    }).values;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`${message}\n\n${USAGE}`, { cause });
  }
}

function integer(name: string, text: string, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= most) return value;
  throw new OperatorError(`--${name} is ${text}. It takes an integer from 0 to ${most}.`);
}

const USAGE = `Usage: npm run generic-psp -- [options]

Runs a payment provider in memory that offers the contract of the generic connector. Ctrl-C ends it and forgets everything.

  --port           the port on 127.0.0.1; 0, the default, takes a free one
  --api-key        the key that requests need; by default, a random one, which is printed
  --seed           the seed of what is made, 1 by default
  --accounts       how many accounts there are, 5 by default
  --beneficiaries  how many beneficiaries there are, 3 by default
  --transactions   how many transactions there are, 100 by default
  --faults         the percentage of requests that fail, 0 by default`;

await run(main, { text: USAGE, hasOptions: true });
