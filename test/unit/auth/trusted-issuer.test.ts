import { exportJWK, generateKeyPair } from "jose";
import { describe, expect, test } from "vitest";
import { fetchIssuerKeys } from "#modules/auth/verification/trusted-issuer.ts";

const ISSUER = "https://login.example.com/realm";
const DISCOVERY = `${ISSUER}/.well-known/openid-configuration`;
const JWKS = "https://keys.example.com/jwks";

const RSA_1024 = {
  name: "RSASSA-PKCS1-v1_5",
  hash: "SHA-256",
  modulusLength: 1024,
  publicExponent: new Uint8Array([1, 0, 1]),
};

type Answers = Readonly<Record<string, Response | object>>;

const { publicKey } = await generateKeyPair("RS256", { extractable: true });
const jwk = await exportJWK(publicKey);
const good = { ...jwk, kid: "one", use: "sig", alg: "RS256" };

/** A key source that gets the given answers. Values that are not responses are sent as JSON. */
function fetchKeys(answers: Answers, issuer = ISSUER) {
  const calls: { url: string; init: RequestInit }[] = [];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    calls.push({ url, init });
    const answer = answers[url] ?? new Response("not found", { status: 404 });
    return answer instanceof Response ? answer : Response.json(answer);
  };
  const policy = { allowPrivateHosts: false };
  return { keys: fetchIssuerKeys(issuer, { fetch, policy }), calls };
}

const discovery = (changes: object = {}) => ({ issuer: ISSUER, jwks_uri: JWKS, ...changes });

describe("the keys of a trusted issuer", () => {
  test("the keys of a trusted issuer are found through its discovery document, without following redirects", async () => {
    const { keys, calls } = fetchKeys({ [DISCOVERY]: discovery(), [JWKS]: { keys: [good] } });
    expect((await keys).map(({ kid }) => kid)).toEqual(["one"]);
    expect(calls.map(({ url }) => url)).toEqual([DISCOVERY, JWKS]);
    for (const { init } of calls) {
      expect(init.redirect).toBe("manual");
      expect(init.signal).toBeInstanceOf(AbortSignal);
    }
  });

  test("the keys of a trusted issuer leave out keys that do not sign with RS256 and malformed ones", async () => {
    const elliptic = await exportJWK(
      (await generateKeyPair("ES256", { extractable: true })).publicKey,
    );
    const pair = await crypto.subtle.generateKey(RSA_1024, true, ["sign", "verify"]);
    if (!("publicKey" in pair)) throw new Error("expected a pair of keys");
    const small = await exportJWK(pair.publicKey);
    const others = [
      { ...good, kid: "encrypts", use: "enc" },
      { ...good, kid: "other algorithm", alg: "RS512" },
      { ...elliptic, kid: "elliptic" },
      { ...small, kid: "small" },
      { ...good, kid: "broken", n: "!" },
      { kty: "oct", kid: "symmetric", k: "c2VjcmV0" },
      null,
      "text",
    ];
    const bare = { kty: "RSA", n: jwk.n, e: jwk.e, kid: "bare" };
    const { keys } = fetchKeys({
      [DISCOVERY]: discovery(),
      [JWKS]: { keys: [...others, good, bare, { ...jwk, use: "sig" }] },
    });
    expect((await keys).map(({ kid }) => kid)).toEqual(["one", "bare", undefined]);
  });

  const failures: readonly [what: string, answers: Answers, why: RegExp][] = [
    ["the issuer answers an error", {}, /openid-configuration answered 404/],
    [
      "it redirects",
      { [DISCOVERY]: new Response(null, { status: 302, headers: { location: JWKS } }) },
      /answered 302/,
    ],
    ["the document is not JSON", { [DISCOVERY]: new Response("<html>") }, /JSON/],
    ["the document lacks the keys' URL", { [DISCOVERY]: { issuer: ISSUER } }, /jwks_uri/],
    [
      "the document is of another issuer",
      { [DISCOVERY]: discovery({ issuer: `${ISSUER}/` }) },
      /another issuer/,
    ],
    [
      "the keys are not on https",
      { [DISCOVERY]: discovery({ jwks_uri: "http://keys.example.com/" }) },
      /not https/,
    ],
    [
      "the keys are on no web server",
      { [DISCOVERY]: discovery({ jwks_uri: "file:///etc/passwd" }) },
      /not https/,
    ],
    [
      "the keys are in a private network",
      { [DISCOVERY]: discovery({ jwks_uri: "https://10.0.0.1/" }) },
      /not a public host/,
    ],
    ["the keys have another form", { [DISCOVERY]: discovery(), [JWKS]: [good] }, /keys|object/],
    [
      "the document is too large",
      { [DISCOVERY]: new Response(" ".repeat(300_000) + JSON.stringify(discovery())) },
      /which is too much/,
    ],
  ];

  test.each(failures)(
    "the keys of a trusted issuer are a failure when %s",
    async (_what, answers, why) => {
      await expect(fetchKeys(answers).keys).rejects.toThrow(why);
    },
  );

  test("the keys of a trusted issuer are found for an issuer that ends with a slash, too", async () => {
    const issuer = `${ISSUER}/`;
    const answers = { [DISCOVERY]: discovery({ issuer }), [JWKS]: { keys: [good] } };
    expect((await fetchKeys(answers, issuer).keys).length).toBe(1);
  });
});
