import { createHmac } from "node:crypto";
import { run } from "./lib/main.ts";
import { onStop } from "./lib/signals.ts";
import { findTarget, type Target } from "./lib/target.ts";
import { connectTo } from "./listen/connection.ts";
import { type ListenedEvent, listenTo, type News } from "./listen/events.ts";
import { Forwarder } from "./listen/forward.ts";
import { parseOptions, USAGE } from "./listen/options.ts";

/** `npm run listen`: shows the events of the running server as they happen, and forwards them as webhooks. */
async function listen(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  onStop(() => process.exit(0));
  process.stdout.on("error", () => process.exit(0)); // The reader of a pipe has closed it.
  const { url } = options;
  const env = url === undefined ? process.env : { ...process.env, FLORIN_URL: url };
  let target = findTarget(env);
  const secret = options.secret ?? secretFor(target);
  const answers = options.json ? process.stderr : process.stdout;
  const forwarder =
    options.forward === undefined
      ? undefined
      : new Forwarder({ url: options.forward, secret }, (line) => answers.write(`${line}\n`));
  if (forwarder !== undefined) {
    note(`Forwarding to ${options.forward}, signed with the secret ${secret}`);
  }
  const connect = connectTo(() => (target = findTarget(env)), options);
  let lastText = "";
  for await (const news of listenTo(connect)) {
    if (news.kind === "event") {
      process.stdout.write(`${options.json ? news.event.body : lineOf(news.event)}\n`);
      await forwarder?.forward(news.event);
    } else {
      const text = sentenceOf(news, `${options.types.join(", ")} at ${target.url}`);
      // Repeated attempts fail for the same reason, which is printed once.
      if (text !== lastText) note(text);
      lastText = text;
    }
  }
}

/**
 * The signing secret for a client of a server. It is always the same, so that a receiver is configured once, and does not reveal the
 * client's own secret.
 */
const secretFor = ({ clientSecret }: Target): string =>
  createHmac("sha256", clientSecret)
    .update("florin listen")
    .digest()
    .subarray(0, 24)
    .toString("base64");

const lineOf = ({ date, type, ledger, id }: ListenedEvent): string =>
  `${date}  ${type}  ${ledger === "" ? "-" : ledger}  ${id}`;

/** The sentence for news other than an event; `where` names the subscription. */
function sentenceOf(news: Exclude<News, { kind: "event" }>, where: string): string {
  if (news.kind === "connected") return `Listening to ${where}. Ctrl-C ends it.`;
  const reason = news.reason.replace(/\.$/, "");
  return news.kind === "gap"
    ? `Events may be missing: ${reason}.`
    : `Not connected, trying again: ${reason}.`;
}

/** Prints a text other than an event to standard error, so that events can be piped. */
const note = (text: string): void => void process.stderr.write(`${text}\n`);

await run(listen, { text: USAGE, hasOptions: true });
