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

/**
 * A form that is a page of settings: its button and the outcome stay in view below its fields, at the lower edge of the
 * screen, which has a margin there.
 */
export function PanelForm({
  form,
  onSubmit,
  action,
  disabled = false,
  words,
  unsaved,
  children,
}: FormSubmit & {
  /** Without it the form has no button. */
  action: string | undefined
  disabled?: boolean
  words: { saving: string; saved: string }
  /** Shown next to the button. */
  unsaved?: ReactNode
  children: ReactNode
}) {
  const { element, pending, saved } = form
  const gone = useServerGone()
  return (
    <form
      ref={element}
      noValidate
      // A field that gets the focus is scrolled clear of the button.
      className="panel flex flex-col gap-5 p-5 max-md:p-4 [&_:is(input,select,textarea,button)]:scroll-mb-32"
      onSubmit={(event) => {
        event.preventDefault()
        if (!pending && !gone) onSubmit({})
      }}
    >
      {children}
      <div
        className={`${action && !disabled ? 'sticky -bottom-6 border-t border-line max-md:-bottom-3' : ''} -mx-5 -mb-5 flex flex-col gap-3 rounded-b-md bg-panel px-5 pt-4 pb-5 max-md:-mx-4 max-md:-mb-4 max-md:px-4 max-md:pb-4`}
      >
        {saved && <Notice tone="ok">{words.saved}</Notice>}
        <FormFault form={form} />
        {action && (
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
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
            {unsaved}
          </div>
        )}
      </div>
    </form>
  )
}
