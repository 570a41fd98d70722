import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { columns } from "#scripts/florin/columns.ts";
import { type Call, type Noun, type Outcome, UsageError } from "#scripts/florin/command.ts";
import { serverUrl } from "#scripts/florin/login/access.ts";
import { logInByDevice } from "#scripts/florin/login/device-login.ts";
import { LoginStore } from "#scripts/florin/login/login-store.ts";
import { loginWith } from "#scripts/florin/login/logins.ts";
import { type DeviceCodes, OAuthServer } from "#scripts/florin/login/oauth.ts";

/** The scopes that say who the person is, and that let the login last. */
const STANDARD = ["openid", "email", "offline_access"];

export const noun: Noun = {
  summary: "Your login at a deployment",
  alone: {
    summary: "Logs you in at the server of --url, where you allow it in a browser",
    options: {
      scopes: {
        kind: "list",
        meaning: "what the login may do, such as ledger:read; by default, all that you may do",
      },
      browser: { kind: "flag", meaning: "opens the page in the browser of this machine" },
    },
    run: logIn,
  },
  verbs: {
    status: { summary: "Lists the servers where you are logged in", run: status },
  },
};

/** The server of `--url` or, without it, of `FLORIN_URL`. Throws `UsageError` where neither is given. */
export function namedServer(call: Pick<Call, "env" | "url">): string {
  const named = call.env["FLORIN_URL"];
  if (call.url !== undefined) return serverUrl(call.url, "--url");
  if (named) return serverUrl(named, "FLORIN_URL");
  throw new UsageError("--url names the server, such as https://pay.example.com.");
}

async function logIn(call: Call): Promise<Outcome> {
  const url = namedServer(call);
  const store = LoginStore.of(call.env);
  store.all(); // A file that others may read is refused before somebody allows the login.
  const server = new OAuthServer(url);
  const asked = call.list("scopes");
  const scopes = [...STANDARD, ...(asked.length === 0 ? await server.scopes() : asked)];
  const tokens = await logInByDevice(server, scopes, {
    nowMs: Date.now,
    sleep: delay,
    show: (codes) => show(codes, call),
  });
  const person = await server.personOf(tokens.access_token);
  const login = loginWith(person, tokens, Date.now());
  let former: string | undefined;
  await store.update(url, async (present) => {
    former = present?.refreshToken;
    return login;
  });
  if (former !== undefined) await server.revoke(former).catch(() => undefined); // It ends by itself, later.
  const given = login.scopes.filter((scope) => scope.includes(":"));
  const lines = [
    `You are logged in at ${url} as ${person}.`,
    given.length === 0
      ? "You may do nothing there: your scopes, which an administrator sets, allow nothing."
      : `You may use ${given.join(" ")}.`,
  ];
  return { data: { url, person, scopes: login.scopes }, lines };
}

function show(codes: DeviceCodes, call: Call): void {
  const page = codes.verification_uri_complete ?? codes.verification_uri;
  call.note(
    `Open this page in a browser, compare the code, and allow the login:\n\n  ${page}\n\n  ${codes.user_code}\n`,
  );
  if (call.flag("browser")) openBrowser(page, call);
}

/** Opens a page. Where there is no browser, the person has the address. */
function openBrowser(page: string, call: Call): void {
  if (!/^https?:\/\//.test(page)) return; // A server that is none of Florin's could name a program.
  const [program = "xdg-open", ...args] = OPENERS[process.platform] ?? [];
  const child = spawn(program, [...args, page], { detached: true, stdio: "ignore" });
  child.once("error", () => call.note("There is no browser here. Open the page yourself."));
  child.unref();
}

const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

async function status(call: Call): Promise<Outcome> {
  const logins = [...LoginStore.of(call.env).all()];
  const data = logins.map(([url, { person, scopes }]) => ({ url, person, scopes }));
  const rows = data.map(({ url, person, scopes }) => [url, person, scopes.join(" ")]);
  return { data, lines: rows.length === 0 ? ["You are logged in nowhere."] : columns(rows) };
}
