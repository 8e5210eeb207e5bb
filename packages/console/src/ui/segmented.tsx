/** A row of joined buttons, of which at most one is pressed. */
export function Segmented<Choice extends string>({
  label,
  choices,
  labels,
  counts,
  pressed,
  onPress,
  className = '',
}: {
  label: string
  choices: readonly Choice[]
  labels: Readonly<Record<Choice, string>>
  /** Shown behind the labels. */
  counts?: Partial<Record<Choice, string | null | undefined>>
  pressed: Choice | undefined
  onPress: (choice: Choice) => void
  className?: string
}) {
  return (
    <fieldset
      aria-label={label}
      className={`inline-flex overflow-hidden rounded-sm border border-line bg-panel ${className}`}
    >
      {choices.map((choice) => (
        <button
          key={choice}
          type="button"
          aria-pressed={choice === pressed}
          className={`h-8 grow font-medium whitespace-nowrap not-first:border-l not-first:border-line focus-visible:-outline-offset-3 aria-pressed:bg-ink aria-pressed:font-semibold aria-pressed:text-panel max-md:h-11 max-md:min-w-11 ${counts ? 'px-1 text-sm' : 'px-2 md:px-3'}`}
          onClick={() => onPress(choice)}
        >
          {labels[choice]} {counts?.[choice] && <b className="font-bold tabular-nums">{counts[choice]}</b>}
        </button>
      ))}
    </fieldset>
  )
}
