import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { objectOf } from "./api.ts";
import { LedgerObject } from "#modules/ledger/index.ts";
import { stringifyJson } from "#platform/json.ts";
import { createApp } from "#src/app.ts";
import { type ApiInit, BASE_URL, token } from "#test/support/platform/api.ts";

const bindings = { ...env, FLORIN_SCHEMA_ENFORCEMENT_MODE: "strict" };
const app = createApp();

/** Calls a path below a ledger in a deployment with strict schemas, on the same storage. */
export async function strictly(
  ledger: string,
  path: string,
  { body, method = "POST" }: ApiInit,
): Promise<Response> {
  const request = new Request(new URL(`/api/ledger/v2/${ledger}${path}`, BASE_URL), {
    method,
    headers: { authorization: `Bearer ${await token()}`, "content-type": "application/json" },
    body: body === undefined ? null : stringifyJson(body),
  });
  return app.fetch(request, { ...bindings, LEDGERS: LEDGERS as unknown as Env["LEDGERS"] }); // the app uses only these members
}

/** A namespace of ledger objects. A new instance with the strict setting serves each call on the storage of the real object. */
const LEDGERS = {
  getByName: (name: string) =>
    new Proxy(objectOf(name), {
      get:
        (stub, method: "execute") =>
        (...args: Parameters<LedgerObject["execute"]>) =>
          runInDurableObject(stub, (_object, state) =>
            new LedgerObject(state, bindings)[method](...args),
          ),
    }),
};
