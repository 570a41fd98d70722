import { useMemo, useState } from "react";
import { SNIPPET_LANGUAGES, type SnippetLanguage, snippetOf } from "./snippets.ts";
import type { WireRequest } from "#console/api/client.ts";
import { Choice } from "#console/parts/base/choice.tsx";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { partWords } from "#console/parts/part-words.ts";

const LANGUAGE_KEY = "florin-code";

/** Requests as code in the language that the person has chosen last. */
export function CodeList({ requests }: { readonly requests: readonly WireRequest[] }) {
  const words = partWords().code;
  const [language, setLanguage] = useState(chosenLanguage);
  const snippets = useMemo(
    () =>
      requests.map((request, place) => ({
        place,
        name: `${request.method} ${request.url.split("?", 1)[0] ?? ""}`,
        code: snippetOf(request, language, location.origin),
      })),
    [requests, language],
  );
  const choose = (next: SnippetLanguage): void => {
    localStorage.setItem(LANGUAGE_KEY, next);
    setLanguage(next);
  };
  const { token, client } = words.environment;
  const notes = [
    ...(snippets.some(({ code }) => code.includes("FLORIN_TOKEN")) ? [token] : []),
    ...(snippets.some(({ code }) => code.includes("FLORIN_CLIENT_ID")) ? [client] : []),
  ];
  return (
    <div className="space-y-4">
      <div className="flex">
        <Choice
          label={words.language}
          options={SNIPPET_LANGUAGES.map((name) => [name, name])}
          chosen={language}
          onChoose={choose}
        />
      </div>
      {snippets.map(({ place, name, code }) => (
        <figure key={place} className="space-y-1.5">
          <figcaption className="foreign font-mono text-note text-muted">{name}</figcaption>
          <div className="relative rounded-md bg-sunken">
            <pre
              tabIndex={0} // oxlint-disable-line jsx-a11y/no-noninteractive-tabindex -- Keys scroll long code.
              dir="ltr"
              className="max-h-96 overflow-auto p-3 pr-10 font-mono text-note"
            >
              {code}
            </pre>
            <span className="absolute top-1.5 right-1.5 rounded-md bg-sunken">
              <CopyButton value={code} what={words.snippet} />
            </span>
          </div>
        </figure>
      ))}
      {notes.map((note) => (
        <p key={note} className="text-note text-muted">
          {note}
        </p>
      ))}
    </div>
  );
}

function chosenLanguage(): SnippetLanguage {
  const stored = localStorage.getItem(LANGUAGE_KEY);
  return SNIPPET_LANGUAGES.find((language) => language === stored) ?? "curl";
}
