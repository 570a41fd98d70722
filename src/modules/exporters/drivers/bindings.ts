import { ConfigError, type ExporterConfig } from "./config.ts";
import { type DriverContext } from "./driver.ts";
import { textField } from "./fields.ts";

/**
 * A deployment grants a binding to exporters by this prefix of its name. Other bindings, such as those that Florin itself uses, are out of
 * reach: a client that sets up an exporter must not write into a queue or a bucket that serves something else.
 */
export const EXPORT_BINDING_PREFIX = "EXPORT_";

/** The binding that a config names. Throws `ConfigError` if exporters may not use it, or the Worker has none of this kind. */
export function readBinding<T extends object>(
  config: ExporterConfig,
  { bindings }: DriverContext,
  {
    kind,
    isOfKind,
  }: { readonly kind: string; readonly isOfKind: (binding: object) => binding is T },
): T {
  const name = textField(config, "binding") ?? "";
  if (name === "") throw new ConfigError("binding", "binding is required");
  if (!name.startsWith(EXPORT_BINDING_PREFIX)) {
    throw new ConfigError("binding", `binding must begin with '${EXPORT_BINDING_PREFIX}'`);
  }
  const binding = bindings[name];
  if (typeof binding === "object" && binding !== null && isOfKind(binding)) return binding;
  throw new ConfigError("binding", `binding '${name}' names no ${kind} of this Worker`);
}
