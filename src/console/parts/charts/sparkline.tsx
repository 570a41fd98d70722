const WIDTH_PX = 96;
const HEIGHT_PX = 24;

/** A small picture of how something went, without axes. `label` says in words what the picture shows. */
export function Sparkline({
  values,
  label,
}: {
  readonly values: readonly number[];
  readonly label: string;
}) {
  const most = Math.max(...values, 1);
  const step = WIDTH_PX / Math.max(values.length, 1);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH_PX} ${HEIGHT_PX}`}
      width={WIDTH_PX}
      height={HEIGHT_PX}
      className="text-accent"
    >
      {values.map((value, index) => {
        const height = value === 0 ? 1 : Math.max((value / most) * HEIGHT_PX, 2);
        return (
          <rect
            // oxlint-disable-next-line react/no-array-index-key -- A bar is its position.
            key={index}
            x={index * step}
            y={HEIGHT_PX - height}
            width={Math.max(step - 1, 0.5)}
            height={height}
            fill="currentColor"
            opacity={value === 0 ? 0.3 : 1}
          />
        );
      })}
    </svg>
  );
}
