import { ConfigFault, type DriverContext, type ExporterConfig } from "./driver.ts";
import { textField } from "./fields.ts";

/** Bindings with which Florin works itself. */
const OWN_BINDINGS = new Set(["EVENTS", "DELIVERIES"]);

/** The binding that a config names, where the Worker has it. */
export function readBinding<T extends object>(
  config: ExporterConfig,
  { bindings }: DriverContext,
  {
    kind,
    isOfKind,
  }: { readonly kind: string; readonly isOfKind: (binding: object) => binding is T },
): T {
  const name = textField(config, "binding") ?? "";
  if (name === "") throw new ConfigFault("binding", "binding is required");
  const binding = bindings[name];
  const isFree = !OWN_BINDINGS.has(name) && typeof binding === "object" && binding !== null;
  if (isFree && isOfKind(binding)) return binding;
  throw new ConfigFault("binding", `binding '${name}' is no ${kind} of this Worker`);
}
