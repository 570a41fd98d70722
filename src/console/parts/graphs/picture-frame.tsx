import type { ReactNode, RefObject } from "react";
import { partWords } from "#console/parts/part-words.ts";

/** The place of a picture, which scrolls where the picture is wider. The picture says nothing to screen readers, which get its list. */
export const PictureFrame = ({
  frame,
  frameWidth,
  width,
  height,
  children,
}: {
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly frameWidth: number;
  readonly width: number;
  readonly height: number;
  readonly children: ReactNode;
}) => (
  <div
    ref={frame}
    className="overflow-x-auto overflow-y-hidden"
    {...(width > frameWidth
      ? { tabIndex: 0, role: "group", "aria-label": partWords().graph.label }
      : {})}
  >
    <div aria-hidden className="relative" style={{ width, height }}>
      {frameWidth > 0 && children}
    </div>
  </div>
);
