const FORMS = [
  /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i,
  /^urn:uuid:([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i,
  /^\{([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\}$/i,
  /^([0-9a-f]{32})$/i,
];

/**
 * A UUID in lower case with dashes, from one of the forms that clients write: with dashes, after `urn:uuid:`, in braces, or 32 bare
 * digits. Undefined for other texts.
 */
export function parseUuid(text: string): string | undefined {
  for (const form of FORMS) {
    const [, digits] = form.exec(text) ?? [];
    if (digits === undefined) continue;
    const bare = digits.replaceAll("-", "").toLowerCase();
    return [
      bare.slice(0, 8),
      bare.slice(8, 12),
      bare.slice(12, 16),
      bare.slice(16, 20),
      bare.slice(20),
    ].join("-");
  }
  return undefined;
}
