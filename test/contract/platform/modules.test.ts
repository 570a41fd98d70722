import { env, WorkflowEntrypoint } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import * as worker from "#src/index.ts";
import { MODULES } from "#src/modules.ts";
import { send } from "#test/support/platform/api.ts";

const names = MODULES.map(({ name }) => name);
const classes = Object.entries(
  Object.assign({}, ...MODULES.map((module) => module.classes ?? {})) as object,
);

const isWorkflow = (declared: unknown): boolean =>
  typeof declared === "function" && declared.prototype instanceof WorkflowEntrypoint;

describe("the modules", () => {
  test("the modules have distinct names, and are part only of modules that exist", () => {
    expect(new Set(names).size).toBe(names.length);
    for (const { partOf = "ledger", version } of MODULES) {
      expect(names).toContain(partOf);
      expect(version ?? "part").toMatch(/^v\d|^part$/);
    }
  });

  test("the modules are listed with their versions, those that are part of another one excepted", async () => {
    const { versions } = await (
      await send("/versions")
    ).json<{ versions: { name: string; health: boolean }[] }>();
    const whole = MODULES.filter(({ partOf }) => partOf === undefined).map(({ name }) => name);
    expect(versions.map(({ name }) => name)).toEqual(whole);
    expect(versions.every(({ health }) => health)).toBe(true);
  });

  test("the modules declare the scopes of all operations", async () => {
    const { paths } = await (
      await send("/openapi.json")
    ).json<{ paths: Record<string, Record<string, { security?: Record<string, string[]>[] }>> }>();
    const declared = MODULES.flatMap(({ scopes }) => Object.keys(scopes));
    const asked = Object.values(paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ security = [] }) =>
        security.flatMap(({ oauth2 = [] }) => oauth2),
      ),
    );
    expect(new Set(asked).size).toBeGreaterThan(3);
    for (const scope of new Set(asked)) expect(declared).toContain(scope);
  });

  test.each(classes)(
    "the modules have the Worker export the class %s, and the deployment bind it",
    (name, declared) => {
      expect((worker as Record<string, unknown>)[name]).toBe(declared);
      const kind = isWorkflow(declared) ? env.INSTANCES.constructor : env.CLOCK.constructor;
      const bound = Object.values(env).filter((binding) => binding instanceof kind);
      const alike = classes.filter(([, other]) => isWorkflow(other) === isWorkflow(declared));
      // The clock of the deployment and the keeper of its backups are bindings of objects as well.
      expect(bound).toHaveLength(alike.length + (isWorkflow(declared) ? 0 : 2));
    },
  );
});
