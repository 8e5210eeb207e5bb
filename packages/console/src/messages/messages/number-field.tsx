import { useState } from 'react'
import { send as words } from './text.ts'
import { useLanguage } from '#console/core/language.ts'
import { numberFault } from './number-fault.ts'
import { Field, TextInput } from '#console/ui/field.tsx'

/** Digits, something between two numbers, and digits again. */
const SEVERAL = /\d\s*[\n,;\t]+\s*[+(\d]|\d\s+\+\d/u

/**
 * The number to send to. In a chosen language it is checked while it is typed, and one that only lacks digits is wrong
 * once the focus leaves. The specification shows no such check.
 */
export function NumberField({
  value,
  onChange,
  onLeave,
  onSeveral,
  refused,
}: {
  value: string
  onChange: (value: string) => void
  onLeave?: (() => void) | undefined
  /** Gets a text of several numbers if one is pasted. */
  onSeveral?: ((pasted: string) => void) | undefined
  /** The form was sent with this number and refused it. */
  refused: boolean
}) {
  const [typing, setTyping] = useState(false)
  const fault = useLanguage() && numberFault(value)
  const wrong = fault === 'wrong' || (fault !== undefined && (!typing || refused))
  return (
    <Field label={words.phone} hint={fault && words.numberRule} error={wrong ? words.numberRule : undefined}>
      {(ids) => (
        <TextInput
          {...ids}
          tall
          type="tel"
          autoComplete="off"
          placeholder={words.phonePlaceholder}
          value={value}
          onFocus={() => setTyping(true)}
          onBlur={() => {
            setTyping(false)
            onLeave?.()
          }}
          onPaste={(event) => {
            const pasted = event.clipboardData.getData('text')
            if (!onSeveral || !SEVERAL.test(pasted)) return
            event.preventDefault()
            onSeveral(pasted)
          }}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}
