import { useQuery } from "@tanstack/react-query";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { CheckList, TextField } from "#console/parts/forms/fields.tsx";
import { eventTypesQuery } from "#console/places/developers/events/queries.ts";
import { mayReadEvent } from "#console/places/developers/reach.ts";
import { developerWords } from "#console/places/developers/words.ts";

export interface EndpointDraft {
  readonly name: string;
  readonly endpoint: string;
  readonly eventTypes: readonly string[];
}

/** The fields of an endpoint. Only events that the person may read can be chosen. */
export function EndpointFields({
  draft,
  onChange,
}: {
  readonly draft: EndpointDraft;
  readonly onChange: (draft: EndpointDraft) => void;
}) {
  const words = developerWords().webhooks;
  return (
    <>
      <TextField
        label={words.endpoint}
        type="url"
        isRequired
        isCode
        placeholder="https://hooks.example.com/florin"
        hint={words.endpointHint}
        value={draft.endpoint}
        onChange={(endpoint) => onChange({ ...draft, endpoint })}
      />
      <TextField
        label={words.name}
        value={draft.name}
        onChange={(name) => onChange({ ...draft, name })}
      />
      <EventChoice
        chosen={draft.eventTypes}
        onChange={(eventTypes) => onChange({ ...draft, eventTypes })}
      />
    </>
  );
}

/** The types of events, by module. A module whose events are chosen is open. */
function EventChoice({
  chosen,
  onChange,
}: {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}) {
  const words = developerWords().webhooks;
  const { data, error, refetch } = useQuery(eventTypesQuery());
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows rows={4} />;
  const names = data.map(({ name }) => name);
  const readable = names.filter((name) => mayReadEvent(name));
  const apps = [...new Set(readable.map(appOf))];
  const others = chosen.filter((name) => !names.includes(name));
  return (
    <fieldset>
      <legend className="mb-1 text-muted">{words.types}</legend>
      <div className="divide-y divide-line rounded-md border border-line">
        {apps.map((app) => {
          const own = readable.filter((name) => appOf(name) === app);
          const count = own.filter((name) => chosen.includes(name)).length;
          return (
            <details key={app} open={count > 0 ? true : undefined}>
              <summary className="flex cursor-pointer items-center justify-between px-3 py-1.5">
                <span className="font-medium">{app}</span>
                <span className="text-note text-muted">{words.chosen(count, own.length)}</span>
              </summary>
              <div className="px-3 pb-2">
                <CheckList
                  label={words.typesOf(app)}
                  value={own.filter((name) => chosen.includes(name))}
                  onChange={(next) =>
                    onChange([...chosen.filter((name) => !own.includes(name)), ...next])
                  }
                  options={own.map((name) => [
                    name,
                    <span key={name} className="font-mono text-note">
                      {name.slice(app.length + 1)}
                    </span>,
                  ])}
                />
              </div>
            </details>
          );
        })}
      </div>
      {others.length > 0 && <p className="mt-1 text-note text-muted">{words.otherTypes(others)}</p>}
      {readable.length < names.length && (
        <p className="mt-1 text-note text-muted">{words.unreadable}</p>
      )}
      {chosen.length === 0 && <p className="mt-1 text-note text-muted">{words.chooseOne}</p>}
    </fieldset>
  );
}

const appOf = (name: string): string => name.slice(0, name.indexOf("."));
