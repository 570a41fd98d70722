import { createHmac } from "node:crypto";
import { run } from "./lib/main.ts";
import { onStop } from "./lib/signals.ts";
import { findTarget, type Target } from "./lib/target.ts";
import { connectTo } from "./listen/connection.ts";
import { type ListenedEvent, listenTo } from "./listen/events.ts";
import { Forwarder } from "./listen/forward.ts";
import { parseOptions } from "./listen/options.ts";

/** `npm run listen`: shows the events of the running server as they happen, and forwards them as webhooks. */
async function listen(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  onStop(() => process.exit(0));
  process.stdout.on("error", () => process.exit(0)); // whoever read it has enough
  const { url } = options;
  const env = url === undefined ? process.env : { ...process.env, FLORIN_URL: url };
  const target = findTarget(env);
  const secret = options.secret ?? secretFor(target);
  const answers = options.json ? process.stderr : process.stdout;
  const forwarder =
    options.forward === undefined
      ? undefined
      : new Forwarder({ url: options.forward, secret }, (line) => answers.write(`${line}\n`));
  const connect = connectTo(() => findTarget(env), options);
  for await (const news of listenTo(connect)) {
    if (news.kind === "connected") {
      note(`Listening to ${options.types.join(", ")} at ${target.url}. Ctrl-C ends it.`);
      if (forwarder !== undefined)
        note(`Forwarding to ${options.forward}, signed with the secret ${secret}`);
    } else if (news.kind === "event") {
      process.stdout.write(`${options.json ? news.event.body : lineOf(news.event)}\n`);
      await forwarder?.forward(news.event);
    } else {
      note(
        news.kind === "gap"
          ? `Events may be missing: ${news.reason}.`
          : `Not connected, trying again: ${news.reason}.`,
      );
    }
  }
}

/**
 * A secret that stays the same for a client of a server, so that a receiver needs it once. Nobody can tell the client's own
 * secret from it.
 */
const secretFor = ({ clientSecret }: Target): string =>
  createHmac("sha256", clientSecret)
    .update("florin listen")
    .digest()
    .subarray(0, 24)
    .toString("base64");

const lineOf = ({ date, type, ledger, id }: ListenedEvent): string =>
  `${date}  ${type}  ${ledger === "" ? "-" : ledger}  ${id}`;

/** What is no event goes to standard error, so that the events can be piped. */
const note = (text: string): void => void process.stderr.write(`${text}\n`);

await run(listen);
