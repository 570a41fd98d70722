import { FileUp } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";
import { type ChosenFile, readBeginning } from "./file-content.ts";
import { FileReview } from "./file-review.tsx";
import { buttonClass } from "#console/parts/base/button.tsx";
import { Section } from "#console/parts/base/facts.tsx";
import { Failure } from "#console/parts/base/states.tsx";
import type { StatementSource } from "#console/places/reconciliation/queries/sources.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";

/** Where files are chosen or dropped. Each is shown as it would be read, and is then uploaded; several follow one another. */
export function UploadSection({ source }: { readonly source: StatementSource }) {
  const words = sourceWords().upload;
  const [waiting, setWaiting] = useState<readonly ChosenFile[]>([]);
  const [error, setError] = useState<Error>();
  const take = async (files: FileList | null): Promise<void> => {
    setError(undefined);
    try {
      const read = await Promise.all(
        [...(files ?? [])].map((file) => readBeginning(file, source.encoding)),
      );
      setWaiting((before) => [...before, ...read]);
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error(String(problem)));
    }
  };
  const [current, ...others] = waiting;
  return (
    <Section title={words.title}>
      {error !== undefined && <Failure error={error} title={words.unreadable} />}
      {current === undefined ? (
        <DropZone onFiles={(files) => void take(files)} />
      ) : (
        <FileReview
          key={current.id}
          source={source}
          chosen={current}
          waiting={others.length}
          onEnd={() => setWaiting(others)}
        />
      )}
    </Section>
  );
}

function DropZone({ onFiles }: { readonly onFiles: (files: FileList | null) => void }) {
  const words = sourceWords().upload;
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const follow = (event: DragEvent, isOn: boolean): void => {
    event.preventDefault();
    setOver(isOn);
  };
  return (
    <div
      onDragOver={(event) => follow(event, true)}
      onDragLeave={(event) => follow(event, false)}
      onDrop={(event) => {
        follow(event, false);
        onFiles(event.dataTransfer.files);
      }}
      className={`flex flex-wrap items-center justify-between gap-3 rounded-md border border-dashed p-4 ${isOver ? "border-accent bg-accent-soft" : "border-line-strong"}`}
    >
      <p className="text-muted">{words.drop}</p>
      <label
        className={`${buttonClass("primary")} cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-accent`}
      >
        <FileUp aria-hidden size={14} />
        {words.choose}
        <input
          ref={input}
          type="file"
          multiple
          className="sr-only"
          onChange={({ target }) => {
            onFiles(target.files);
            target.value = ""; // The same file may be chosen again.
          }}
        />
      </label>
    </div>
  );
}
