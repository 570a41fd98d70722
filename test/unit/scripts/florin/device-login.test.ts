import { describe, expect, test } from "vitest";
import { logInByDevice } from "#scripts/florin/login/device-login.ts";
import {
  type DeviceCodes,
  OAuthServer,
  RefusedError,
  SilentError,
  type TokenSet,
} from "#scripts/florin/login/oauth.ts";

const CODES: DeviceCodes = {
  device_code: "device",
  user_code: "BCDF-GHJK",
  verification_uri: "https://pay.example.com/api/auth/device",
  expires_in: 600,
  interval: 5,
};
const TOKENS: TokenSet = {
  access_token: "access",
  refresh_token: "refresh",
  expires_in: 300,
  scope: "openid",
};

const refused = (code: string) => new RefusedError(400, { error: code });

/** Logs in at a server that gives these answers, one for each poll and the last one again; returns the seconds between polls. */
async function logIn(...answers: readonly (TokenSet | Error)[]) {
  let nowMs = 0;
  const waits: number[] = [];
  const shown: DeviceCodes[] = [];
  const server = {
    beginDevice: () => Promise.resolve(CODES),
    redeemDevice: () => {
      const answer = answers[Math.min(waits.length, answers.length) - 1] ?? refused("none");
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  };
  const surroundings = {
    nowMs: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms;
      waits.push(ms / 1000);
    },
    show: (codes: DeviceCodes) => void shown.push(codes),
  };
  const outcome = await logInByDevice(server, ["openid"], surroundings).catch(String);
  expect(shown).toEqual([CODES]);
  return { outcome, waits };
}

describe("a login by device codes", () => {
  test("a device asks every interval, longer after slow_down, and gets the tokens", async () => {
    const pending = refused("authorization_pending");
    const { outcome, waits } = await logIn(pending, refused("slow_down"), pending, TOKENS);
    expect(outcome).toEqual(TOKENS);
    expect(waits).toEqual([5, 5, 10, 10]);
  });

  test("a device asks a server that does not answer half as often each time", async () => {
    const silent = new SilentError("It does not answer.");
    const { outcome, waits } = await logIn(silent, silent, TOKENS);
    expect(outcome).toEqual(TOKENS);
    expect(waits).toEqual([5, 10, 20]);
  });

  test.each([
    ["access_denied", "The person has refused the login."],
    ["expired_token", "The code has ended before somebody allowed the login."],
    ["invalid_grant", "The server refuses: invalid_grant"],
  ])("a device gives up after %s", async (code, sentence) => {
    const { outcome, waits } = await logIn(refused(code));
    expect(outcome).toContain(sentence);
    expect(waits).toEqual([5]);
  });

  test("a device asks no longer than its code lives", async () => {
    const { outcome, waits } = await logIn(refused("authorization_pending"));
    expect(outcome).toContain("The code has ended");
    expect(waits).toHaveLength(600 / 5);
  });
});

describe("the OAuth server", () => {
  const answering = (status: number, text: string, requests: Request[] = []) =>
    new OAuthServer("https://pay.example.com", async (url, init) => {
      requests.push(new Request(url, init));
      return new Response(text, { status });
    });

  test("the command line says that it is its own client, and follows no redirection", async () => {
    const requests: Request[] = [];
    const server = answering(200, JSON.stringify(TOKENS), requests);
    expect(await server.refresh("old")).toEqual(TOKENS);
    const [request] = requests;
    expect(request?.redirect).toBe("error");
    expect(await request?.text()).toBe(
      "client_id=florin-cli&grant_type=refresh_token&refresh_token=old",
    );
  });

  test("a refusal says what the server says", async () => {
    const body = JSON.stringify({ error: "invalid_scope", error_description: "no such scope" });
    await expect(answering(400, body).beginDevice(["openid"])).rejects.toMatchObject({
      message: "The server refuses: no such scope",
      code: "invalid_scope",
      status: 400,
    });
  });

  test("a server without the client of the command line is told with what to do", async () => {
    const body = JSON.stringify({ error: "invalid_client" });
    await expect(answering(401, body).beginDevice(["openid"])).rejects.toThrow(
      "The server has no client for the command line",
    );
  });

  test.each([
    [503, "", "https://pay.example.com answers 503."],
    [404, "not found", "https://pay.example.com is no Florin server: "],
    [200, "<html>", "https://pay.example.com is no Florin server: "],
  ])("an answer %i %j is no login", async (status, text, sentence) => {
    await expect(answering(status, text).beginDevice([])).rejects.toThrow(sentence);
  });

  test("the scopes of a server are those of its modules", async () => {
    const body = JSON.stringify({ scopes_supported: ["openid", "email", "ledger:read"] });
    expect(await answering(200, body).scopes()).toEqual(["ledger:read"]);
  });
});
