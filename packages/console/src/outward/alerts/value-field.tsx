import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { faultText, fieldErrors } from '#console/core/api.ts'
import { formats } from '#console/core/formats.ts'
import { useServerGone } from '#console/core/server-gone.ts'
import { numberIn, type NumberRange } from './number-in.ts'
import { alertRules as words } from './text.ts'
import { TextInput } from '#console/ui/field.tsx'

/** A number that is saved on leaving the field. A wrong or refused one stays with its error; the old one still holds. */
export function ValueField({
  label,
  name,
  value,
  range,
  save,
}: {
  label: string
  /** The name of the field in refusals. */
  name: string
  value: number
  range: NumberRange
  save: (value: number) => Promise<unknown>
}) {
  const id = useId()
  const gone = useServerGone()
  const [typed, setTyped] = useState<string>()
  const [wrong, setWrong] = useState(false)
  const { mutate, isPending, isSuccess, error, reset } = useMutation({
    mutationFn: ({ given }: { given: number; sent: string }) => save(given),
    // A value typed meanwhile stays.
    onSuccess: (_, { sent }) => setTyped((now) => (now === sent ? undefined : now)),
  })

  function leave(): void {
    if (typed === undefined || isPending || gone) return
    const given = numberIn(typed, range)
    setWrong(given === undefined)
    if (given === undefined) return
    if (given === value) setTyped(undefined)
    else mutate({ given, sent: typed })
  }

  const { least, most, whole } = range
  const said = wrong
    ? (whole ? words.wholeRange : words.range)(least, most)
    : error && (fieldErrors(error)[name] ?? faultText(error, words.saveFailed))
  return (
    <span className="relative inline-flex items-center gap-x-2">
      <TextInput
        className={most > 99_999 ? 'w-[104px]' : 'w-[76px]'}
        aria-label={label}
        aria-describedby={`${id}-said`}
        aria-invalid={said ? true : undefined}
        inputMode={whole ? 'numeric' : 'decimal'}
        autoComplete="off"
        maxLength={13}
        readOnly={gone}
        value={typed ?? String(value).replace('.', formats.decimal)}
        onChange={({ target }) => {
          setTyped(target.value)
          setWrong(false)
          reset()
        }}
        onBlur={leave}
        onKeyDown={({ key }) => key === 'Enter' && leave()}
      />
      <output id={`${id}-said`} className="text-sm font-medium empty:hidden">
        {said ? (
          // Over its neighbours: they must not move away under a pointer that leaves the field by pressing one.
          <span className="pointer-events-none absolute top-full left-0 z-10 mt-0.5 w-max max-w-60 max-md:right-0 max-md:left-auto max-md:max-w-32 rounded-sm border border-bad-solid bg-bad-bg px-2 py-1 text-bad shadow-sm">
            {said}
          </span>
        ) : (
          isSuccess && <span className="text-ok">{words.saved}</span>
        )}
      </output>
    </span>
  )
}
