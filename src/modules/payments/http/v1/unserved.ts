import type { OpenAPIHono } from "@hono/zod-openapi";
import { AppError } from "#platform/errors.ts";
import type { AppEnv } from "#platform/http/index.ts";

/** Operations that name only a kind of connector, of which there may be several. They are answered with 404. */
const UNSERVED: readonly (readonly [method: string, path: string])[] = [
  ["DELETE", "/connectors/:connector"],
  ["GET", "/connectors/:connector/config"],
  ["POST", "/connectors/:connector/reset"],
  ["GET", "/connectors/:connector/tasks"],
  ["GET", "/connectors/:connector/tasks/:taskId"],
  ["POST", "/connectors/:connector/transfers"],
];

/**
 * Answers the operations of `UNSERVED` with 404, also where other methods of a path, or longer paths, are served. The API document
 * does not show them.
 */
export function registerUnservedV1(app: OpenAPIHono<AppEnv>): void {
  for (const [method, path] of UNSERVED) {
    app.on(method, path, () => {
      throw new AppError("NOT_FOUND", "a connector is named by its id, not by its kind alone");
    });
  }
}
