import { parseJson } from "#platform/json.ts";

/** What a provider has sent, as answers show it: clients take an object only. */
export function toRawView(text: string): Record<string, unknown> {
  const raw = parseJson(text);
  return typeof raw === "object" && raw !== null && !Array.isArray(raw) ? { ...raw } : {};
}
