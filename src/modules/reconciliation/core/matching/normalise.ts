/** A step that makes texts equal that mean one thing. Steps apply in the order in which a key lists them. */
export type Normalisation =
  /** Capitals, accents and forms of one character, such as full-width digits, do not count. */
  | { readonly kind: "case" }
  /** Only letters and digits count. */
  | { readonly kind: "punctuation" }
  /** Only digits count. */
  | { readonly kind: "digits" }
  /** Only the first characters count, because a bank truncates what is longer. */
  | { readonly kind: "prefix"; readonly length: number };

/** A text after the steps; it may be empty. */
export function normalise(text: string, steps: readonly Normalisation[]): string {
  let normal = text.trim();
  for (const step of steps) normal = applied(normal, step);
  return normal;
}

function applied(text: string, step: Normalisation): string {
  switch (step.kind) {
    case "case":
      return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
    case "punctuation":
      return text.replaceAll(/[^\p{L}\p{N}]/gu, "");
    case "digits":
      return text.normalize("NFKC").replaceAll(/[^0-9]/g, "");
    case "prefix":
      return Array.from(text).slice(0, step.length).join("");
  }
}
