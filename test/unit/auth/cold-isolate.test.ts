import { generateKeyPair, SignJWT } from "jose";
import { expect, test } from "vitest";
import { KeyCache } from "#modules/auth/keys/key-cache.ts";
import { RevocationList } from "#modules/auth/revocations/revocation-list.ts";
import { TokenVerifier } from "#modules/auth/verification/token-verifier.ts";

const PUBLIC_URL = "https://florin.example";
const ISSUER = `${PUBLIC_URL}/api/auth`;
const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
const { privateKey: otherKey } = await generateKeyPair("RS256");

/** An isolate that has read nothing yet, and its database, which can fail. */
class NewIsolate {
  nowMs = Date.UTC(2026, 0, 1);
  /** The number of next reads that fail, by kind. */
  failures = { keys: 0, revocations: 0 };
  readonly reads = { keys: 0, revocations: 0 };
  /** The most reads under way at once. */
  together = 0;
  #underWay = 0;

  readonly verifier = new TokenVerifier({
    publicUrl: PUBLIC_URL,
    ownKeys: new KeyCache({
      issuer: "this server",
      load: () => this.#read("keys", [{ kid: "kid", key: publicKey }]),
      nowMs: () => this.nowMs,
      pauseMs: 1000,
      isPersistent: true,
    }),
    trusted: new Map(),
    revocations: new RevocationList({
      load: () => this.#read("revocations", []),
      nowMs: () => this.nowMs,
    }),
    nowMs: () => this.nowMs,
    tokensMax: 100,
  });

  async #read<T>(what: keyof NewIsolate["reads"], answer: T): Promise<T> {
    this.reads[what]++;
    this.#underWay++;
    this.together = Math.max(this.together, this.#underWay);
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
    this.#underWay--;
    if (this.failures[what]-- > 0) throw new Error("D1 is away");
    return answer;
  }

  /** Reads a root token that has these changes. */
  async readRoot({ typ = "florin-root+jwt", ...changes }: Record<string, string>): Promise<string> {
    const iat = Math.floor(this.nowMs / 1000);
    const claims = { iss: PUBLIC_URL, client_id: "fctl", aud: `${PUBLIC_URL}/organizations`, iat };
    const token = await new SignJWT({ ...claims, exp: iat + 3600, ...changes })
      .setProtectedHeader({ alg: "RS256", kid: "kid", typ })
      .sign(changes["key"] === "other" ? otherKey : privateKey);
    return (await this.verifier.readMembership(token, ["root"], `${PUBLIC_URL}/userinfo`)).clientId;
  }

  async authenticate(kid = "kid"): Promise<string> {
    const iat = Math.floor(this.nowMs / 1000);
    const claims = { iss: ISSUER, client_id: "shop", aud: ["shop", PUBLIC_URL], iat };
    const token = await new SignJWT({ ...claims, exp: iat + 3600, scope: "ledger:read" })
      .setProtectedHeader({ alg: "RS256", kid })
      .sign(privateKey);
    const headers = { authorization: `Bearer ${token}` };
    const request = new Request(`${PUBLIC_URL}/api`, { headers });
    return (await this.verifier.authenticate(request, "ledger:read")).clientId;
  }
}

const AWAY = { kind: "OVERLOADED", retryAfterSeconds: 2 };

test("an isolate that is new reads keys and revocations at the same time, once", async () => {
  const isolate = new NewIsolate();
  expect(await isolate.authenticate()).toBe("shop");
  expect(isolate.together).toBe(2);
  expect(isolate.reads).toEqual({ keys: 1, revocations: 1 });
});

test.each([
  ["the keys", { keys: 2, revocations: 0 }],
  ["the revocations", { keys: 0, revocations: 2 }],
  ["both", { keys: 3, revocations: 3 }],
])("a request waits while the database does not answer a few times for %s", async (_, failures) => {
  const isolate = new NewIsolate();
  isolate.failures = failures;
  expect(await isolate.authenticate()).toBe("shop");
});

test("a new isolate says that the database is away, and keeps what it has read", async () => {
  const isolate = new NewIsolate();
  isolate.failures = { keys: 0, revocations: Infinity };
  await expect(isolate.authenticate()).rejects.toMatchObject(AWAY);
  isolate.failures = { keys: Infinity, revocations: 0 };
  isolate.nowMs += 2000;
  expect(await isolate.authenticate()).toBe("shop");
  expect(isolate.reads.keys).toBe(1);

  const without = new NewIsolate();
  without.failures = { keys: Infinity, revocations: 0 };
  await expect(without.authenticate()).rejects.toMatchObject(AWAY);
});

test("an isolate goes on with what it has read while the database is away, however long", async () => {
  const isolate = new NewIsolate();
  await isolate.authenticate();
  isolate.failures = { keys: Infinity, revocations: Infinity };
  for (let hour = 0; hour < 6; hour++) {
    isolate.nowMs += 3_600_000;
    expect(await isolate.authenticate()).toBe("shop");
  }
  // While the database fails, the isolate cannot know whether an unknown key exists.
  isolate.nowMs += 1000;
  await expect(isolate.authenticate("new")).rejects.toMatchObject(AWAY);
});

test("an isolate reads no revocations for a membership token of another kind, issuer or key", async () => {
  const isolate = new NewIsolate();
  for (const changes of [
    { typ: "JWT" },
    { typ: "florin-stack+jwt" },
    { iss: "https://other.example" },
  ]) {
    await expect(isolate.readRoot(changes)).rejects.toMatchObject({ kind: "UNAUTHENTICATED" });
  }
  expect(isolate.reads).toEqual({ keys: 0, revocations: 0 });
  await expect(isolate.readRoot({ key: "other" })).rejects.toThrow("signature");
  expect(isolate.reads).toEqual({ keys: 1, revocations: 0 });
  expect(await isolate.readRoot({})).toBe("fctl");
  expect(isolate.reads).toEqual({ keys: 1, revocations: 1 });
});
