import { chmodSync, existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { findAccess, serverUrl } from "#scripts/florin/login/access.ts";
import { LoginStore, type StoredLogin } from "#scripts/florin/login/login-store.ts";
import { accessOfLogin } from "#scripts/florin/login/logins.ts";
import { RefusedError, SilentError, type TokenSet } from "#scripts/florin/login/oauth.ts";

const URL_A = "https://pay.example.com";
const NOW_MS = 1_800_000_000_000;

let home: string;
let store: LoginStore;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "florin-logins-"));
  store = LoginStore.of({ XDG_CONFIG_HOME: home });
});

const login = (fields: Partial<StoredLogin> = {}): StoredLogin => ({
  person: "ada@example.com",
  scopes: ["openid", "ledger:write"],
  accessToken: "access-1",
  expiresMs: NOW_MS + 300_000,
  refreshToken: "refresh-1",
  ...fields,
});

const put = (origin: string, value: StoredLogin | undefined) =>
  store.update(origin, async () => value);

describe("the store of logins", () => {
  test("logins of servers are kept in a file for its owner only", async () => {
    await put(URL_A, login());
    await put("https://b.example.com", login({ person: "bob@example.com" }));
    expect(store.find(URL_A)).toEqual(login());
    expect([...store.all().keys()]).toEqual([URL_A, "https://b.example.com"]);
    expect(statSync(store.path).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, "florin")).mode & 0o777).toBe(0o700);
    await put(URL_A, undefined);
    expect(store.find(URL_A)).toBeUndefined();
    expect(store.find("https://b.example.com")?.person).toBe("bob@example.com");
  });

  test("the folder of logins is ~/.config where XDG_CONFIG_HOME is not set, or is relative", () => {
    expect(LoginStore.of({ HOME: "/home/ada" }).path).toBe("/home/ada/.config/florin/logins.json");
    expect(LoginStore.of({ HOME: "/home/ada", XDG_CONFIG_HOME: "config" }).path).toBe(
      "/home/ada/.config/florin/logins.json",
    );
  });

  test.each([
    ["florin/logins.json", 0o640, "640. Run `chmod 600 "],
    ["florin", 0o770, "770. Run `chmod 700 "],
  ])("%s of logins is refused with wider rights", async (name, mode, remedy) => {
    await put(URL_A, login());
    chmodSync(join(home, name), mode);
    expect(() => store.find(URL_A)).toThrow(`its mode is ${remedy}`);
    await expect(put(URL_A, undefined)).rejects.toThrow(remedy);
  });

  test("a file that is no list of logins is refused, and stays as it is", async () => {
    await put(URL_A, login());
    writeFileSync(store.path, "{");
    await expect(put(URL_A, login())).rejects.toThrow("is no list of logins");
    expect(readFileSync(store.path, "utf8")).toBe("{");
  });

  test("a change that fails leaves the file as it was, and the lock free", async () => {
    await put(URL_A, login());
    const before = readFileSync(store.path, "utf8");
    await expect(store.update(URL_A, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(readFileSync(store.path, "utf8")).toBe(before);
    await put(URL_A, login({ person: "eve@example.com" }));
    expect(existsSync(`${store.path}.new`)).toBe(false);
  });
});

/** A server that takes each refresh token once, as Florin does. */
class OnceServer {
  readonly used: string[] = [];

  async refresh(token: string): Promise<TokenSet> {
    await Promise.resolve();
    if (this.used.includes(token)) throw new RefusedError(400, { error: "invalid_grant" });
    this.used.push(token);
    const number = this.used.length + 1;
    return {
      access_token: `access-${number}`,
      refresh_token: `refresh-${number}`,
      expires_in: 300,
      scope: "openid ledger:write",
    };
  }
}

const accessAt = (nowMs: number, server: Pick<OnceServer, "refresh">) =>
  accessOfLogin(URL_A, { store, server, nowMs: () => nowMs });

describe("the access by a login", () => {
  test("an access token is used until shortly before its end", async () => {
    await put(URL_A, login());
    const server = new OnceServer();
    expect(await accessAt(NOW_MS + 269_000, server).token(["ledger:read"])).toBe("access-1");
    expect(server.used).toEqual([]);
    expect(await accessAt(NOW_MS + 271_000, server).token(["ledger:read"])).toBe("access-2");
    expect(store.find(URL_A)).toMatchObject({
      refreshToken: "refresh-2",
      expiresMs: NOW_MS + 571_000,
    });
  });

  test("of ten commands at once one refreshes the login, and the others use what it got", async () => {
    await put(URL_A, login({ expiresMs: NOW_MS }));
    const server = new OnceServer();
    const tokens = await Promise.all(
      Array.from({ length: 10 }, () => accessAt(NOW_MS, server).token([])),
    );
    expect(new Set(tokens)).toEqual(new Set(["access-2"]));
    expect(server.used).toEqual(["refresh-1"]);
  });

  test("a token that the server refuses is replaced, however long it should have lasted", async () => {
    await put(URL_A, login());
    const server = new OnceServer();
    const access = accessAt(NOW_MS, server);
    expect(await access.token([], "access-1")).toBe("access-2");
    expect(await access.token([], "access-1")).toBe("access-2");
    expect(server.used).toEqual(["refresh-1"]);
  });

  test("a login that has ended is forgotten with a sentence that says what to do", async () => {
    await put(URL_A, login({ expiresMs: NOW_MS }));
    const server = new OnceServer();
    server.used.push("refresh-1");
    await expect(accessAt(NOW_MS, server).token([])).rejects.toThrow(
      `The login at ${URL_A} has ended. Log in again with \`npm run florin -- login --url ${URL_A}\`.`,
    );
    expect(store.find(URL_A)).toBeUndefined();
  });

  test.each([
    ["does not answer", new SilentError("It does not answer.")],
    ["refuses the client", new RefusedError(401, { error: "invalid_client" })],
  ])("a login stays where the server %s", async (_what, error) => {
    await put(URL_A, login({ expiresMs: NOW_MS }));
    const server = { refresh: () => Promise.reject(error) };
    await expect(accessAt(NOW_MS, server).token([])).rejects.toBe(error);
    expect(store.find(URL_A)).toEqual(login({ expiresMs: NOW_MS }));
  });

  test("a login without the scope of a command says so before anything is sent", async () => {
    await put(URL_A, login());
    await expect(
      accessAt(NOW_MS, new OnceServer()).token(["ledger:read", "payments:read"]),
    ).rejects.toThrow(
      "The login of ada@example.com at https://pay.example.com has no payments:read.",
    );
  });
});

describe("the server of a command", () => {
  const CLIENT = { FLORIN_CLIENT_ID: "id", FLORIN_CLIENT_SECRET: "secret" };

  test("a token of the environment comes before a client and a login", async () => {
    await put(URL_A, login());
    const env = { XDG_CONFIG_HOME: home, FLORIN_TOKEN: "token", ...CLIENT };
    const access = findAccess(env, URL_A);
    expect([access.url, await access.token([])]).toEqual([URL_A, "token"]);
    await expect(access.token([], "token")).rejects.toThrow("does not take the token");
  });

  test("nothing of the environment of another server is sent to --url", async () => {
    await put(URL_A, login({ expiresMs: Number.MAX_SAFE_INTEGER }));
    const env = { XDG_CONFIG_HOME: home, FLORIN_URL: "https://other.example.com", ...CLIENT };
    expect(await findAccess({ ...env, FLORIN_TOKEN: "token" }, URL_A).token([])).toBe("access-1");
    expect(() => findAccess(env, "https://c.example.com")).toThrow(
      "Nobody is logged in at https://c.example.com.",
    );
    expect(findAccess(env, undefined).url).toBe("https://other.example.com");
  });

  test("secrets of the environment go to the server of FLORIN_URL alone", async () => {
    await put(URL_A, login({ expiresMs: Date.now() + 300_000 }));
    const client = { FLORIN_CLIENT_ID: "local", FLORIN_CLIENT_SECRET: "secret-of-a-server" };
    for (const named of [
      {},
      { FLORIN_URL: "pay.example.com" },
      { FLORIN_URL: "https://b.example" },
    ]) {
      const env = { XDG_CONFIG_HOME: home, ...client, ...named };
      expect(await findAccess(env, URL_A).token([])).toBe("access-1");
    }
    const mistyped = {
      XDG_CONFIG_HOME: home,
      FLORIN_TOKEN: "token",
      FLORIN_URL: "pay.example.com",
    };
    expect(await findAccess(mistyped, URL_A).token([])).toBe("access-1");
  });

  test.each(["https://pay.example.com/console", "http://127.0.0.1:8787", "http://localhost:1"])(
    "the URL %s names a server",
    (text) => {
      expect(serverUrl(text, "--url")).toBe(new URL(text).origin);
    },
  );

  test.each(["http://pay.example.com", "ftp://127.0.0.1", "http://127.example.com"])(
    "no token goes to %s in the clear",
    (text) => {
      expect(() => serverUrl(text, "--url")).toThrow(`--url is ${text}. It takes an https URL`);
    },
  );

  test("a text that is no URL is refused", () => {
    expect(() => serverUrl("pay", "FLORIN_URL")).toThrow('FLORIN_URL is "pay". It takes a URL');
  });
});
