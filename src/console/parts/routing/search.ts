/** Keeps the search parameters that a page knows. They are plain texts, so that people can read and write them. */
export function textsOf<Name extends string>(...names: readonly Name[]) {
  return (search: Readonly<Record<string, unknown>>): { [K in Name]?: string } => {
    const found = names.flatMap((name) => {
      const value = search[name];
      return typeof value === "string" && value !== "" ? [[name, value]] : [];
    });
    return Object.fromEntries(found) as { [K in Name]?: string }; // The entries have only these names.
  };
}

export const parseSearch = (search: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(search));

export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(search).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return texts.length === 0 ? "" : `?${new URLSearchParams(texts).toString()}`;
}
