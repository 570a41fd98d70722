import { Foreign } from "#console/parts/base/address.tsx";

/** The labels of a rule or an alert, in the order of their names. */
export const Labels = ({ labels }: { readonly labels: Readonly<Record<string, string>> }) => (
  <ul className="flex flex-wrap gap-1.5">
    {Object.entries(labels)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => (
        <li key={name} className="max-w-full rounded bg-sunken px-1.5 text-note">
          <span className="text-muted">
            <Foreign>{name}</Foreign>
          </span>{" "}
          <Foreign>{value}</Foreign>
        </li>
      ))}
  </ul>
);
