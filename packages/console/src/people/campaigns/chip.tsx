import { MarkIcon, type Mark } from '#console/ui/marks.tsx'
import { formatCount } from '#console/ui/numbers.ts'

/** A filter button with the number of rows that it shows. */
export function Chip({
  label,
  mark,
  count,
  pressed,
  onPress,
}: {
  label: string
  mark?: Mark | undefined
  count: number | undefined
  pressed: boolean
  onPress: () => void
}) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={onPress}
      className="inline-flex h-8 shrink-0 items-center gap-[7px] rounded-full border border-line bg-panel px-3 font-medium whitespace-nowrap hover:border-line-strong aria-pressed:border-ink aria-pressed:bg-ink aria-pressed:text-panel max-md:h-11 max-md:px-4"
    >
      {mark && <MarkIcon mark={mark} />}
      {label} {count !== undefined && <b className="font-bold tabular-nums">{formatCount(count)}</b>}
    </button>
  )
}
