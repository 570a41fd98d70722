import { Download } from "lucide-react";
import { useState } from "react";
import type { WireRequest } from "#console/api/client.ts";
import { ApiError } from "#console/api/errors.ts";
import { florin } from "#console/api/florin.ts";
import { Button } from "#console/parts/base/button.tsx";
import { Failure } from "#console/parts/base/states.tsx";
import { saveFile } from "#console/parts/csv/save-file.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";

/** A button that saves the answer of a request as a file. A link cannot, because the request needs the token. */
export function DownloadButton({
  request,
  file,
  children,
}: {
  readonly request: WireRequest;
  /** The name of the file. */
  readonly file: string;
  readonly children: string;
}) {
  const [isLoading, setLoading] = useState(false);
  const [error, setError] = useState<Error>();
  const save = async (): Promise<void> => {
    setLoading(true);
    setError(undefined);
    try {
      const response = await florin.fetch(request);
      if (!response.ok) throw await ApiError.from(response);
      saveFile(file, await response.blob());
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error(String(problem)));
    } finally {
      setLoading(false);
    }
  };
  return (
    <span className="relative">
      <Button kind="quiet" disabled={isLoading} onClick={() => void save()}>
        <Download aria-hidden size={14} />
        {children}
      </Button>
      {error !== undefined && (
        <div className="absolute top-full right-0 z-30 w-96 max-w-[90vw] rounded-lg bg-raised shadow-float">
          <Failure error={error} title={sourceWords().notSaved} retry={() => void save()} />
        </div>
      )}
    </span>
  );
}
