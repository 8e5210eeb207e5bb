import { useState, type ReactNode } from 'react'
import type { FormState } from '#console/core/form.ts'
import { rotation as words } from './rotate-text.ts'
import { Confirm } from '#console/ui/confirm.tsx'
import { Field, Select } from '#console/ui/field.tsx'
import { Notice } from '#console/ui/notice.tsx'

const overlaps = [0, 1, 24, 168] as const
type Overlap = (typeof overlaps)[number]

/** The confirmation before the overlap of an earlier rotation ends. */
type Ending = {
  /** Says until when the previous secret works. */
  lasts: ReactNode
  title: string
  means: string
  form: FormState
  onConfirm: () => void
}

/** Asks for confirmation before a secret is replaced, and how long the old one keeps working. */
export function Rotate({
  title,
  label,
  children,
  ending,
  form,
  onRotate,
  onClose,
}: {
  title: string
  /** Label of the overlap choice. */
  label: string
  /** Explains what will happen. */
  children: ReactNode
  ending: Ending | undefined
  form: FormState
  onRotate: (overlap_hours: Overlap) => void
  onClose: () => void
}) {
  const [overlap, setOverlap] = useState<Overlap>(24)
  const [isEnding, setEnding] = useState(false)
  if (ending && isEnding) {
    return (
      <Confirm {...ending} key="ending" action={words.end} onClose={onClose}>
        <p>{ending.means}</p>
      </Confirm>
    )
  }
  return (
    <Confirm
      title={title}
      action={words.rotate}
      form={form}
      onConfirm={() => onRotate(overlap)}
      onClose={onClose}
    >
      {children}
      <Field label={label}>
        {(ids) => (
          <Select
            {...ids}
            tall
            value={overlap}
            onChange={(event) => setOverlap(Number(event.target.value) as Overlap)}
          >
            {overlaps.map((hours) => (
              <option key={hours} value={hours}>
                {words.overlaps[hours]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {ending && (
        <Notice tone="warn" retry={{ label: words.end, run: () => setEnding(true) }}>
          {ending.lasts}
        </Notice>
      )}
    </Confirm>
  )
}
