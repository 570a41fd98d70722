import { parseJson } from "#platform/json.ts";

/** The provider's name of an account or payment, which its id contains; the id itself where it contains none. */
export function referenceIn(id: string): string {
  try {
    const bytes = Uint8Array.from(atob(id.replaceAll("-", "+").replaceAll("_", "/")), toCode);
    const { Reference: reference } = parseJson(new TextDecoder().decode(bytes)) as Parts;
    return typeof reference === "string" && reference !== "" ? reference : id;
  } catch {
    return id;
  }
}

interface Parts {
  readonly Reference?: unknown;
}

const toCode = (character: string): number => character.codePointAt(0) ?? 0;
