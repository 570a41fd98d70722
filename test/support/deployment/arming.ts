import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { armingOf, untilAllIsolatesKnow } from "#platform/arming/isolates.ts";
import { api, bodyOf, token } from "#test/support/platform/api.ts";

const ROOT = "/api/florin/v1";

/** The state of the deployment as the API shows it. */
export interface ArmingBody {
  readonly armed: boolean;
  readonly since?: string;
  readonly reason?: string;
  readonly note?: string;
  readonly revision?: string;
  readonly by?: { readonly subject: string; readonly clientId: string };
  readonly connectors: readonly { readonly id: string; readonly armedAt: string }[];
}

interface ArmBody {
  readonly connectorID?: string;
  readonly originalIsStopped?: boolean;
  readonly mayPayTwice?: boolean;
  readonly revision?: string;
}

/** Sends a request to an operation such as `/arm`, with a token of an operator unless another one is given. */
export const asOperator = async (path: string, body?: object, bearer?: string): Promise<Response> =>
  api(`${ROOT}${path}`, {
    token: bearer ?? (await token("florin:operate")),
    ...(body === undefined ? {} : { body }),
  });

async function stateOf(response: Response): Promise<ArmingBody> {
  const body = await bodyOf(response);
  expect(body).toHaveProperty("data");
  expect(response.status).toBe(200);
  return (body as { data: ArmingBody }).data; // the schema of the answer has this shape
}

export const armingState = async (): Promise<ArmingBody> => stateOf(await asOperator("/arming"));

/** Disarms the deployment. When it returns, no isolate begins a call. */
export const disarm = async (body: object = {}): Promise<ArmingBody> =>
  stateOf(await asOperator("/disarm", body));

/** Arms the deployment, or one connector, and waits until this isolate knows it. */
export async function arm(body: ArmBody = {}): Promise<ArmingBody> {
  const state = await stateOf(await asOperator("/arm", body));
  const { connectorID } = body;
  await untilAllIsolatesKnow();
  if (connectorID === undefined) expect(await armingOf(env).mayCall()).toBe(true);
  return state;
}

/** Arms the deployment at the end of a file, and waits until no isolate remembers otherwise: the next file has the same isolate. */
export async function armForTheNextFile(): Promise<void> {
  await env.DB.batch([
    env.DB.prepare("DELETE FROM disarmament"),
    env.DB.prepare("DELETE FROM armed_connectors"),
  ]);
  await untilAllIsolatesKnow();
}
