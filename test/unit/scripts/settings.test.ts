import { expect, test } from "vitest";
import { readLocalSettings, unknownSettings, urlOn } from "#scripts/lib/settings/local.ts";

test("a variable that looks like a setting and is none is named, and no other", () => {
  const env = {
    FLORIN_WEBHOOK_TIMEOUTS: "1s",
    FLORIN_LOG: "requests",
    FLORIN_STATE_DIR: "/somewhere",
    FLORIN_URL: "http://127.0.0.1:8787",
    PORT: "0",
    PATH: "/bin",
  };
  expect(unknownSettings(env)).toEqual([
    "FLORIN_WEBHOOK_TIMEOUTS is no setting of Florin and has no effect; docs/settings.md has all.",
  ]);
});

test("a local server listens on loopback unless HOST names another address", () => {
  expect(readLocalSettings({}).host).toBe("127.0.0.1");
  expect(readLocalSettings({ HOST: "::1" }).host).toBe("::1");
  const FLORIN_PUBLIC_URL = "https://florin.example.com";
  expect(readLocalSettings({ HOST: "0.0.0.0", FLORIN_PUBLIC_URL }).host).toBe("0.0.0.0");
});

test.each([
  ["127.0.0.1", "http://127.0.0.1:8787"],
  ["192.0.2.7", "http://192.0.2.7:8787"],
  ["0.0.0.0", "http://127.0.0.1:8787"],
  ["::1", "http://[::1]:8787"],
  ["::", "http://[::1]:8787"],
])("a server that listens on %s is reached at %s", (host, url) => {
  expect(urlOn(host, 8787)).toBe(url);
});

test.each([
  ["localhost", /^HOST is "localhost"\. It takes an IP address/],
  ["0.0.0.0", /^With HOST=0\.0\.0\.0, others reach the server\. Set FLORIN_PUBLIC_URL/],
])("HOST=%s is refused with a sentence", (HOST, sentence) => {
  expect(() => readLocalSettings({ HOST })).toThrow(sentence);
});

test("a server without authentication listens on loopback only", () => {
  const open = { FLORIN_AUTH: "off", FLORIN_PUBLIC_URL: "http://localhost:8787" };
  expect(readLocalSettings(open).host).toBe("127.0.0.1");
  expect(() => readLocalSettings({ ...open, HOST: "0.0.0.0" })).toThrow(/^With HOST=0\.0\.0\.0/);
});

test("a server that others reach calls no private hosts, unless a setting says so", () => {
  const secrets = { clientId: "a", clientSecret: "b", secretKey: "c" };
  const allowsPrivate = (env: NodeJS.ProcessEnv) =>
    readLocalSettings(env).varsWith(secrets)["FLORIN_ALLOW_PRIVATE_HOSTS"];
  const reached = { HOST: "0.0.0.0", FLORIN_PUBLIC_URL: "https://florin.example.com" };
  expect(allowsPrivate({})).toBe("true");
  expect(allowsPrivate(reached)).toBe("false");
  expect(allowsPrivate({ ...reached, FLORIN_ALLOW_PRIVATE_HOSTS: "true" })).toBe("true");
});
