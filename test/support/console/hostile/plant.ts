import type { HostileField } from "./field.ts";
import { HOSTILE_TEXTS, type HostileForm, SHOWN_RTL } from "./texts.ts";
import { parseJson } from "#platform/json.ts";
import type { LocalServer } from "#test/support/platform/server.ts";

/** What a field has done with a text. */
export interface Planted {
  readonly field: HostileField;
  readonly form: HostileForm;
  /** The length of the text. */
  readonly length: number;
  readonly status: number;
  readonly answer: string;
}

const FORMS: readonly HostileForm[] = ["markup", "rtl", "long", "nul"];

/** Gives every field every text, and then the longest text that the field takes. */
export async function plant(
  server: LocalServer,
  fields: readonly HostileField[],
): Promise<readonly Planted[]> {
  const planted: Planted[] = [];
  const put = async (field: HostileField, form: HostileForm, text: string): Promise<void> => {
    const { path, body, method = "POST" } = field;
    const url = typeof path === "string" ? path : path(text);
    const response = await server.api(url, { method, body: body(text) });
    const { status } = response;
    planted.push({ field, form, length: text.length, status, answer: await response.text() });
  };
  for (const field of fields) {
    for (const form of FORMS) await put(field, form, HOSTILE_TEXTS[form]);
    const { limit } = field;
    if (limit !== undefined) await put(field, "long", HOSTILE_TEXTS.long.slice(0, limit));
  }
  return planted;
}

/** Whether the field has to refuse the text, and a part of the sentence that says why. */
export function refusalOf({ field, form, length }: Planted): string | undefined {
  if (form === "long" && length === field.limit) return undefined;
  return field.refuses?.[form] ?? (form === "nul" ? "U+0000" : undefined);
}

/** The pages of the objects that have been made, and a part of the text that each shows. */
export const pagesOf = (planted: readonly Planted[]): readonly HostilePage[] =>
  planted.flatMap(({ field: { page, shownAs = same }, form, status, answer }) =>
    page === undefined || status >= 400
      ? []
      : [{ path: page(idOf(answer)), shows: shownAs(SHOWN[form]) }],
  );

export interface HostilePage {
  readonly path: string;
  readonly shows?: string;
}

const same = (text: string): string => text;

const SHOWN: Readonly<Record<HostileForm, string>> = {
  ...HOSTILE_TEXTS,
  rtl: SHOWN_RTL,
  long: "W".repeat(60),
};

/** The id in the answer of a creation. */
function idOf(answer: string): string {
  const { data } = parseJson(answer) as { data: string | Made }; // Answers of creations have this shape.
  return typeof data === "string" ? data : String(data.paymentInitiationID ?? data.id);
}

interface Made {
  readonly id?: string | number;
  readonly paymentInitiationID?: string;
}
