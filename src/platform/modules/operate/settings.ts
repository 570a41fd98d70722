import { z } from "@hono/zod-openapi";
import { ok, operations } from "#platform/http/index.ts";
import { maskUrlSecrets, SECRET_MASK } from "#platform/secrets/url-secrets.ts";
import type { Setting, SettingsSource, SettingsTable } from "#platform/settings.ts";

/** The settings of a module, or of a part of the platform. */
export interface NamedSettings {
  /** `platform`, or the name of the module or the part. */
  readonly owner: string;
  readonly table: SettingsTable;
}

const SettingResponse = z.object({
  name: z.string(),
  module: z.string().openapi({ description: "The module or the part of the platform" }),
  value: z.string().optional().openapi({
    description: "The value in force; `***` for a secret that is set; absent for none",
  }),
  default: z.string().optional().openapi({ description: "Absent where there is no default" }),
  set: z.boolean().openapi({ description: "Whether the deployment sets it" }),
  secret: z.boolean(),
  meaning: z.string(),
});

const SettingsResponse = z
  .object({
    settings: z.array(SettingResponse),
    unknown: z.array(z.string()).openapi({
      description:
        "Names of variables `FLORIN_…` that are set and are no settings, such as those with a spelling mistake; their values are not shown",
    }),
  })
  .openapi("Settings", {
    example: {
      settings: [
        {
          name: "FLORIN_MAX_PAGE_SIZE",
          module: "platform",
          value: "100",
          default: "100",
          set: false,
          secret: false,
          meaning: "Largest page",
        },
      ],
      unknown: [],
    },
  });

/** URLs in a value, which may have a password or a token. */
const URLS = /[a-z][a-z0-9+.-]*:\/\/[^\s,;]+/gi;

/** The settings in force, and the names that are no settings. */
export function settingsInForce(
  tables: readonly NamedSettings[],
  source: SettingsSource,
): z.input<typeof SettingsResponse> {
  const known = new Set(tables.flatMap(({ table }) => table.names));
  return {
    settings: tables.flatMap(({ owner, table }) =>
      Object.entries(table.settings).map(([name, setting]) =>
        inForce({ name, module: owner, setting, text: source[name] }),
      ),
    ),
    // Bindings that are no texts, such as the services of `npm start`, are no settings.
    unknown: Object.entries(source)
      .filter(
        ([name, value]) =>
          name.startsWith("FLORIN_") && typeof value === "string" && !known.has(name),
      )
      .map(([name]) => name)
      .toSorted(),
  };
}

interface Given {
  readonly name: string;
  readonly module: string;
  readonly setting: Setting<unknown>;
  readonly text: unknown;
}

function inForce({ name, module, setting, text }: Given): z.input<typeof SettingResponse> {
  const { standard, meaning, isSecret: secret = false } = setting;
  // An empty text counts as absent.
  const given = typeof text === "string" && text !== "" ? text : undefined;
  const value = given ?? standard;
  const hasValue = value !== undefined && value !== "";
  return {
    name,
    module,
    ...(hasValue ? { value: secret ? SECRET_MASK : value.replaceAll(URLS, maskUrlSecrets) } : {}),
    ...(standard === undefined ? {} : { default: standard }),
    set: given !== undefined,
    secret,
    meaning,
  };
}

const group = operations({ path: "/api/florin/v1/settings", tags: ["Settings"], scope: "florin" });

/** The operation that shows settings. */
export const settingRoutes = (tables: readonly NamedSettings[]) =>
  group.get("", {
    query: z.object({
      module: z
        .enum(tables.map(({ owner }) => owner))
        .optional()
        .openapi({ description: "Only the settings of this module or part" }),
    }),
    scope: "florin:operate",
    operationId: "florinListSettings",
    summary: "List the settings in force",
    description:
      "Every setting with its value, its default, and whether the deployment sets it. Nothing of a secret is shown, neither its length nor a part of it.",
    answer: ok.data("The settings", SettingsResponse),
    handle: ({ context, query: { module } }) => {
      const { settings, unknown } = settingsInForce(tables, { ...context.env });
      const shown =
        module === undefined ? settings : settings.filter((setting) => setting.module === module);
      return { settings: shown, unknown };
    },
  });
