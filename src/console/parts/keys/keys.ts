/** A key that was pressed, and where. */
export interface Stroke {
  readonly key: string;
  readonly hasControl: boolean;
  /** Whether the person types, so that keys are letters. */
  readonly isTyping: boolean;
  /** Whether a window stands over the page. */
  readonly isCovered: boolean;
}

export type KeyAction =
  | { readonly kind: "find" }
  | { readonly kind: "help" }
  | { readonly kind: "filter" }
  /** `g`, after which a letter says where to go. */
  | { readonly kind: "begin" }
  | { readonly kind: "go"; readonly letter: string };

/** What a key does on every page; `hasBegun` after a `g`. Nothing while the person types, but for the key of the search. */
export function actionOf(stroke: Stroke, hasBegun: boolean): KeyAction | undefined {
  const { key, hasControl, isTyping, isCovered } = stroke;
  if (isCovered) return;
  if (hasControl) return key.toLowerCase() === "k" ? { kind: "find" } : undefined;
  if (isTyping) return;
  if (hasBegun && /^[a-z]$/.test(key)) return { kind: "go", letter: key };
  if (key === "?") return { kind: "help" };
  if (key === "/") return { kind: "filter" };
  return key === "g" ? { kind: "begin" } : undefined;
}

/** The stroke of an event of the browser. */
export const strokeOf = (event: KeyboardEvent): Stroke => ({
  key: event.key,
  hasControl: event.ctrlKey || event.metaKey,
  isTyping: isTextInput(event.composedPath()[0]) || event.altKey,
  isCovered: document.querySelector("[role=dialog], [role=menu]") !== null,
});

const NO_TEXT = new Set(["button", "checkbox", "radio", "range", "submit", "reset", "color"]);

function isTextInput(target: EventTarget | undefined): boolean {
  if (target instanceof HTMLInputElement) return !NO_TEXT.has(target.type);
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLElement && target.isContentEditable;
}

/** A place to which `g` and a letter lead. */
export interface Destination {
  readonly letter: string;
  readonly label: string;
  readonly path: string;
}

/** What can be done by keys on the page that is shown. */
export interface PageKeys {
  readonly hasFilter: boolean;
  readonly hasList: boolean;
  readonly hasPanel: boolean;
}
