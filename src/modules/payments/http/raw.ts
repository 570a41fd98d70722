import { parseJson } from "#platform/json.ts";

/** The provider's data in the form of answers: clients accept only an object. */
export function toRawView(text: string): Record<string, unknown> {
  const raw = parseJson(text);
  return typeof raw === "object" && raw !== null && !Array.isArray(raw) ? { ...raw } : {};
}
