import type { Extension } from "@codemirror/state";
import { json } from "./json.ts";
import { numscript } from "./numscript.ts";
import { yaml } from "./yaml.ts";
import type { EditorLanguage } from "#console/parts/editor/types.ts";

export const LANGUAGES: Readonly<Record<EditorLanguage, Extension>> = {
  json,
  numscript,
  yaml,
};
