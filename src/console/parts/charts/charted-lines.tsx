import { type ComponentProps, type ComponentType, useEffect, useState } from "react";
import type { LineChart } from "./line-chart.tsx";

type LineChartProps = ComponentProps<typeof LineChart>;

const load = () => import("./line-chart.tsx");

// The library comes beside the data of the page; a failure is met again below.
load().catch(() => undefined);

/**
 * A chart of lines whose library is no part of the page's own code. Nothing stands in its place until it is there: React would show a lazy
 * component 300 ms after its placeholder.
 */
export function ChartedLines(props: LineChartProps) {
  const [Chart, setChart] = useState<ComponentType<LineChartProps>>();
  useEffect(() => {
    let isShown = true;
    const show = async (): Promise<void> => {
      const { LineChart: loaded } = await load();
      if (isShown) setChart(() => loaded);
    };
    show().catch(() => undefined);
    return () => {
      isShown = false;
    };
  }, []);
  return Chart === undefined ? null : <Chart {...props} />;
}
