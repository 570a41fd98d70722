import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Figure, holds, type Report, reportLines } from "./abuse/report.ts";
import { RoundMemory } from "./abuse/round-memory.ts";
import { abuseBookings } from "./abuse/scenarios/bookings.ts";
import { abuseTogether } from "./abuse/scenarios/crowd.ts";
import { abuseLogins } from "./abuse/scenarios/logins.ts";
import { abuseTriggers } from "./abuse/scenarios/triggers.ts";
import { buildWorld, type World } from "./abuse/world.ts";
import { Checkout } from "./against/checkout.ts";
import { run } from "#scripts/lib/main.ts";
import { OperatorError, ROOT } from "#scripts/lib/project.ts";

const SCENARIOS: Readonly<Record<string, (world: World) => Promise<Report>>> = {
  bookings: abuseBookings,
  logins: abuseLogins,
  together: abuseTogether,
  triggers: abuseTriggers,
};

/** Largest growth of the runtime's memory from the first to the second round, in megabytes. */
const GROWTH_MB_MAX = 50;

const USAGE =
  "The abuse takes --only a,b, --rounds N, --settle, and --against CHECKOUT, which is abused first.";

/**
 * `npm run abuse` starts the product as `npm start` does, abuses it, and measures the effects on a well-behaved client. Well-behaved and
 * abusive clients are different OAuth clients in different processes. The exit code is 1 if a limit is missed.
 */
async function abuse(): Promise<void> {
  const { only, rounds, against, settles } = readOptions(process.argv.slice(2));
  const roots = against === undefined ? [ROOT] : [resolve(against), ROOT];
  for (const root of roots) {
    say(`\n${root === ROOT ? "This checkout" : `The checkout at ${root}`}`);
    const checkout = await Checkout.start(root, { isQuiet: true });
    try {
      const figures = await abuseServer(checkout, { only, rounds, settles });
      if (root === ROOT && !figures.every(holds)) process.exitCode = 1;
    } finally {
      await checkout.stop();
    }
  }
}

async function abuseServer(
  checkout: Checkout,
  { only, rounds, settles }: Omit<Options, "against">,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  const world = await buildWorld(checkout);
  const memory = new RoundMemory(world, { settles });
  try {
    for (let round = 1; round <= rounds; round++) {
      for (const name of only) {
        const report = await SCENARIOS[name]?.(world);
        if (report === undefined) continue;
        say(`\n${name}, round ${round}\n${reportLines(report)}`);
        figures.push(...report.figures);
      }
      await memory.endRound();
    }
  } finally {
    world.receiver.close();
  }
  say(`\nmemory\n${reportLines({ figures: memory.figures(GROWTH_MB_MAX), streams: [] })}`);
  return [...figures, ...memory.figures(GROWTH_MB_MAX)];
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Options {
  readonly only: readonly string[];
  readonly rounds: number;
  readonly settles: boolean;
  readonly against: string | undefined;
}

function readOptions(args: readonly string[]): Options {
  let values: { only?: string; rounds?: string; settle?: boolean; against?: string };
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        only: { type: "string" },
        rounds: { type: "string" },
        settle: { type: "boolean" },
        against: { type: "string" },
      },
    }));
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`${message}\n${USAGE}`, { cause });
  }
  const names = Object.keys(SCENARIOS);
  const only = values.only?.split(",").filter(Boolean) ?? names;
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new OperatorError(`--only knows no ${unknown}. There are ${names.join(", ")}.`);
  }
  const rounds = values.rounds === undefined ? 2 : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100) {
    throw new OperatorError(`--rounds is ${values.rounds}. It takes an integer from 1 to 100.`);
  }
  return { only, rounds, settles: values.settle === true, against: values.against };
}

await run(abuse);
