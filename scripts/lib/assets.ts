import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { inProject } from "./project.ts";

/**
 * Puts the files that the Worker serves as they are into dist/assets: the script of the API page, so that the page
 * works without the internet.
 */
export async function prepareAssets(): Promise<void> {
  const path = inProject("dist/assets/scalar.js");
  const script = await scalarScript();
  if (existsSync(path) && readFileSync(path, "utf8") === script) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, script);
}

interface Route {
  readonly url: string;
  readonly handler: (request: unknown, reply: Reply) => unknown;
}
interface Reply {
  readonly header: (name: string, value: string) => Reply;
  readonly send: (body: string) => void;
}
type FastifyPlugin = (
  app: { route: (route: Route) => void },
  options: { configuration: { url: string } },
  done: () => void,
) => void;

/**
 * Scalar's script for browsers. Its own package brings 270 others along; the plugin for Fastify has the script inside
 * and serves it, here to a stand-in for Fastify.
 */
async function scalarScript(): Promise<string> {
  // The type that it declares needs Fastify's types, and those are not installed.
  const scalar: { default: FastifyPlugin } = await import("@scalar/fastify-api-reference");
  let script: string | undefined;
  const reply: Reply = {
    header: () => reply,
    send: (body) => {
      script = body;
    },
  };
  const route = ({ url, handler }: Route): void => {
    if (url.endsWith("/scalar.js")) handler({}, reply);
  };
  scalar.default({ route }, { configuration: { url: "/openapi.json" } }, () => undefined);
  if (script === undefined) throw new Error("@scalar/fastify-api-reference serves no script");
  return script;
}
