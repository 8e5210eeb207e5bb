import type { ReactNode } from 'react'
import type { FormState } from '#console/core/form.ts'
import { useServerGone } from '#console/core/server-gone.ts'
import { text } from '#console/core/text.ts'
import { Button } from '#console/ui/button.tsx'
import { FormFault, type FormSubmit } from '#console/ui/form.tsx'
import { GoneReason } from '#console/ui/gone-reason.tsx'
import { Notice } from '#console/ui/notice.tsx'

export type FormButtonsProps = {
  form: FormState
  action: string
  submitLook?: string
  /** Absent if the user cannot leave this step. */
  onCancel?: () => void
  cancel?: string
  children?: ReactNode
}

export function FormButtons({
  form,
  action,
  submitLook,
  onCancel,
  cancel = text.cancel,
  children,
}: FormButtonsProps) {
  const { pending } = form
  const gone = useServerGone()
  return (
    <div className="flex flex-wrap justify-end gap-2 pt-1">
      <GoneReason />
      {children}
      {onCancel && (
        <Button size="lg" onClick={onCancel} disabled={pending}>
          {cancel}
        </Button>
      )}
      <Button
        type="submit"
        tone="primary"
        size="lg"
        disabled={pending || gone}
        aria-busy={pending}
        className={submitLook}
      >
        {action}
      </Button>
    </div>
  )
}

/** A form that is a page of settings: it shows the outcome below its fields. */
export function PanelForm({
  form,
  onSubmit,
  action,
  disabled = false,
  words,
  children,
}: FormSubmit & {
  /** Without it the form has no button. */
  action: string | undefined
  disabled?: boolean
  words: { saving: string; saved: string }
  children: ReactNode
}) {
  const { element, pending, saved } = form
  const gone = useServerGone()
  return (
    <form
      ref={element}
      noValidate
      className="panel flex flex-col gap-5 p-5 max-md:p-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (!pending && !gone) onSubmit({})
      }}
    >
      {children}
      {saved && <Notice tone="ok">{words.saved}</Notice>}
      <FormFault form={form} />
      {action && (
        <div className="flex flex-wrap gap-2">
          <GoneReason />
          <Button
            type="submit"
            tone="primary"
            size="lg"
            disabled={disabled || pending || gone}
            aria-busy={pending}
            className="min-w-28"
          >
            {pending ? words.saving : action}
          </Button>
        </div>
      )}
    </form>
  )
}
