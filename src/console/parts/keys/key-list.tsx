import { Fragment } from "react";
import { findKeys, Key } from "./key.tsx";
import type { Destination, PageKeys } from "./keys.ts";
import { partWords } from "#console/parts/part-words.ts";

type Line = readonly [keys: readonly string[], label: string];

/** The keys of a page, with what they do. */
export function KeyList({
  page: { hasFilter, hasList, hasPanel },
  destinations,
}: {
  readonly page: PageKeys;
  readonly destinations: readonly Destination[];
}) {
  const words = partWords().keys;
  const page: Line[] = [
    ...(hasFilter ? [[["/"], words.filter] as const] : []),
    ...(hasList ? [[["j", "k"], words.move] as const, [["Enter"], words.open] as const] : []),
    ...(hasPanel ? [[["Esc"], words.close] as const] : []),
  ];
  return (
    <div className="space-y-5">
      {page.length > 0 && <Lines title={words.page} lines={page} />}
      <Lines
        title={words.everywhere}
        lines={[
          [[findKeys()], words.find],
          [["?"], words.help],
          ...destinations.map(({ letter, label }): Line => [["g", letter], words.go(label)]),
        ]}
      />
    </div>
  );
}

const Lines = ({ title, lines }: { readonly title: string; readonly lines: readonly Line[] }) => (
  <section>
    <h3 className="mb-2 text-note text-muted">{title}</h3>
    <dl className="grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-2">
      {lines.map(([keys, label]) => (
        <Fragment key={label}>
          <dt>{label}</dt>
          <dd className="flex justify-end gap-1">
            {keys.map((key) => (
              <Key key={key} name={key} />
            ))}
          </dd>
        </Fragment>
      ))}
    </dl>
  </section>
);
