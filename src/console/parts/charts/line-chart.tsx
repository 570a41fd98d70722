import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { formatTimes } from "./axis.ts";

export interface Series {
  /** Moments in seconds since the epoch, ascending. */
  readonly times: readonly number[];
  /** A value for each moment; a chart draws floats, and its labels are exact texts from elsewhere. */
  readonly values: readonly number[];
}

const HEIGHT_PX = 180;

/** How a chart draws its values: a line for what there is at each moment, bars for what happened in the time from it on. */
export type Shape = "line" | "bars";

/** A line or bars over time. Colours are those of the page, and follow its scheme. */
export function LineChart({
  series,
  label,
  format,
  onHover,
  shape = "line",
}: {
  readonly series: Series;
  readonly shape?: Shape;
  readonly label: string;
  readonly format: (value: number) => string;
  /** Tells the index of the moment under the pointer. */
  readonly onHover?: (index: number | undefined) => void;
}) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const draw = (): uPlot =>
      new uPlot(optionsFor(element, { format, onHover, shape }), toData(series), element);
    let plot = draw();
    const redraw = (): void => {
      plot.destroy();
      plot = draw();
    };
    const resized = new ResizeObserver(([entry]) => {
      if (entry !== undefined) plot.setSize({ width: entry.contentRect.width, height: HEIGHT_PX });
    });
    resized.observe(element);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", redraw);
    const chosen = new MutationObserver(redraw);
    chosen.observe(document.documentElement, { attributeFilter: ["data-scheme"] });
    return () => {
      resized.disconnect();
      chosen.disconnect();
      scheme.removeEventListener("change", redraw);
      plot.destroy();
    };
  }, [series, format, onHover, shape]);
  return (
    <div
      ref={host}
      role="img"
      aria-label={label}
      style={{ height: HEIGHT_PX }}
      className="w-full"
    />
  );
}

const toData = ({ times, values }: Series): uPlot.AlignedData => [[...times], [...values]];

function optionsFor(
  element: HTMLElement,
  {
    format,
    onHover,
    shape,
  }: {
    readonly format: (value: number) => string;
    readonly onHover: ((index: number | undefined) => void) | undefined;
    readonly shape: Shape;
  },
): uPlot.Options {
  const style = getComputedStyle(element);
  const color = (name: string): string => resolveColor(element, style.getPropertyValue(name));
  const axis = {
    stroke: color("--color-faint"),
    grid: { stroke: color("--color-line"), width: 1 },
    ticks: { show: false },
  };
  const font = `12px ${style.fontFamily}`;
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    legend: { show: false },
    ...(shape === "bars" ? { scales: { x: { range: withLastBar } } } : {}),
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    axes: [
      {
        ...axis,
        font,
        gap: 8,
        grid: { show: false },
        space: TIME_PX,
        values: (...[, moments, , , distance]) => [...formatTimes(moments, distance)],
      },
      {
        ...axis,
        font,
        size: widthOf,
        values: (_, splits) => splits.map((value) => format(value)),
      },
    ],
    series: [
      {},
      {
        stroke: color("--color-accent"),
        width: shape === "bars" ? 0 : 1.5,
        fill: color(shape === "bars" ? "--color-accent" : "--color-accent-soft"),
        paths:
          shape === "bars"
            ? uPlot.paths.bars?.({ align: 1, size: [0.8, 32] })
            : uPlot.paths.stepped?.({ align: 1 }),
        points: { show: false },
      },
    ],
    hooks: { setCursor: [({ cursor }) => onHover?.(cursor.idx ?? undefined)] },
  } as uPlot.Options; // `paths` is undefined only in builds of the library without them.
}

/** The least distance of times on the axis, in pixels. */
const TIME_PX = 72;
const DIGIT_PX = 7.5;
const AXIS_GAP_PX = 12;
const AXIS_MIN_PX = 32;

/** The width of an axis with these labels, in pixels. */
const widthOf = (_: uPlot, labels: readonly string[] | null): number =>
  Math.max(
    AXIS_MIN_PX,
    ...(labels ?? []).map((label) => Math.ceil(label.length * DIGIT_PX) + AXIS_GAP_PX),
  );

/** The time that bars take, of which the last one goes beyond its moment. */
const withLastBar = ({ data: [times] }: uPlot, first: number, last: number): [number, number] => [
  first,
  last + (last - first) / Math.max(times.length - 1, 1),
];

/** A colour as a canvas understands it: `light-dark()` is resolved by the element's own scheme. */
function resolveColor(element: HTMLElement, value: string): string {
  const probe = document.createElement("span");
  probe.style.color = value;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
