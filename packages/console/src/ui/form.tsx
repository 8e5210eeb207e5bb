import type { ComponentProps, ReactNode } from 'react'
import type { FormState } from '#console/core/form.ts'
import { useServerGone } from '#console/core/server-gone.ts'
import { Notice } from '#console/ui/notice.tsx'

export type FormSubmit = {
  form: FormState
  /** Gets the values of the named fields. Not called during a save. */
  onSubmit: (given: Record<string, string>) => void
}

/** A form that shows its errors above its fields. The browser's own validation is off. */
export function Form({
  form,
  onSubmit,
  intro,
  children,
  ...rest
}: FormSubmit &
  Pick<ComponentProps<'form'>, 'method' | 'noValidate'> & { intro?: ReactNode; children: ReactNode }) {
  const { element, pending } = form
  const gone = useServerGone()
  return (
    <form
      noValidate
      {...rest}
      ref={element}
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (!pending && !gone) onSubmit(Object.fromEntries(new FormData(event.currentTarget)) as never)
      }}
    >
      {intro}
      <FormFault form={form} />
      {children}
    </form>
  )
}

/** The errors of a form, above its fields or below them. */
export function FormFault({ form: { headline, said } }: { form: FormState }) {
  if (!headline) return said ? <Notice tone="bad">{said}</Notice> : null
  return (
    <Notice tone="bad">
      <b className="block font-semibold">{headline}</b>
      {said && <span className="block break-words">{said}</span>}
    </Notice>
  )
}
