import { MarkIcon, type Mark } from '#console/ui/marks.tsx'
import { statesIn } from '#console/ui/states-in.ts'

/** Check boxes for states, which are kept as a list with commas. */
export function StateChecks<State extends string>({
  legend,
  states,
  labels,
  marks,
  chosen,
  onChange,
}: {
  legend: string
  states: readonly State[]
  labels: Readonly<Record<State, string>>
  marks: Readonly<Record<State, { mark: Mark; color: string }>>
  chosen: string | undefined
  onChange: (chosen: string | undefined) => void
}) {
  const now = statesIn(chosen, states)
  return (
    <fieldset className="flex max-w-full min-w-0 flex-col gap-1.5 text-sm">
      <legend className="mb-1.5 font-semibold">{legend}</legend>
      <span className="flex flex-wrap gap-x-3.5 gap-y-1">
        {states.map((state) => (
          <label key={state} className="flex h-[34px] items-center gap-1.5 max-md:h-11">
            <input
              type="checkbox"
              className="size-[18px]"
              checked={now.includes(state)}
              onChange={({ target }) => {
                const next = states.filter((one) => (one === state ? target.checked : now.includes(one)))
                onChange(next.join(',') || undefined)
              }}
            />
            <span className={marks[state].color}>
              <MarkIcon mark={marks[state].mark} />
            </span>
            {labels[state]}
          </label>
        ))}
      </span>
    </fieldset>
  )
}
