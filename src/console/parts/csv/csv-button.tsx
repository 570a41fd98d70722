import { Download, Square } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { type CsvColumn, csvHeader, toCsv } from "./csv.ts";
import { saveFile } from "./save-file.ts";
import { Button } from "#console/parts/base/button.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Failure } from "#console/parts/base/states.tsx";
import { partWords } from "#console/parts/part-words.ts";
import type { PagesQuery } from "#console/parts/table/pages.ts";

/**
 * Saves a list to its end as a CSV file: every row that fits the filters, not only what is on the screen. Pages are read one after the other,
 * and a page is kept only as its lines. A click while the file is made stops it.
 */
export function CsvButton<Row, Line = Row>({
  file,
  query,
  columns,
  linesOf,
}: {
  /** The name of the file, without its ending. */
  readonly file: string;
  /** The list, as `pages` makes it. */
  readonly query: PagesQuery<Row>;
  readonly columns: readonly CsvColumn<Line>[];
  /** The lines of a row, such as a line for each posting of a transaction. */
  readonly linesOf: (row: Row) => readonly Line[];
}) {
  const words = partWords().csv;
  const [count, setCount] = useState<number>();
  const [error, setError] = useState<Error>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const save = async (): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    setError(undefined);
    setCount(0);
    try {
      const parts = [csvHeader(columns)].map(toBlob);
      let read = 0;
      for await (const rows of rowsOf(query, controller.signal)) {
        parts.push(toBlob(toCsv(rows.flatMap(linesOf), columns)));
        read += rows.length;
        setCount(read);
      }
      saveFile(`${file}.csv`, new Blob(parts, { type: "text/csv;charset=utf-8" }));
    } catch (problem) {
      if (!controller.signal.aborted)
        setError(problem instanceof Error ? problem : new Error(String(problem)));
    } finally {
      setCount(undefined);
    }
  };
  const isRunning = count !== undefined;
  return (
    <span className="relative">
      <Button
        kind="quiet"
        title={words.title}
        onClick={() => (isRunning ? running.current?.abort() : void save())}
      >
        {isRunning ? <Square aria-hidden size={14} /> : <Download aria-hidden size={14} />}
        {isRunning ? (
          words.progress(formatCount(count))
        ) : (
          <span className="max-sm:sr-only">{words.download}</span>
        )}
      </Button>
      {error !== undefined && (
        <div className="absolute top-full right-0 z-30 w-96 max-w-[90vw] rounded-lg bg-raised shadow-float">
          <Failure error={error} title={words.failed} retry={() => void save()} />
        </div>
      )}
    </span>
  );
}

/** The rows of all pages, page by page. */
async function* rowsOf<Row>(
  query: PagesQuery<Row>,
  signal: AbortSignal,
): AsyncGenerator<readonly Row[]> {
  let cursor: string | undefined;
  do {
    const page = await query.readPage(cursor, signal);
    yield page.rows;
    cursor = page.next;
  } while (cursor !== undefined);
}

/** A part of the file. The browser may keep blobs on the disk, so that a long list does not fill the page's memory. */
const toBlob = (text: string): Blob => new Blob([text]);
