import type { ReactNode } from 'react'
import { Modal } from '#console/ui/dialog.tsx'
import { FormButtons, type FormButtonsProps } from '#console/ui/form-parts.tsx'
import { Form, type FormSubmit } from '#console/ui/form.tsx'

/** A form in its own dialog that stays open while it saves. */
export function FormModal({
  title,
  form,
  action,
  submitLook,
  cancel,
  intro,
  wide,
  onSubmit,
  onClose,
  children,
}: FormSubmit &
  Pick<FormButtonsProps, 'action' | 'submitLook' | 'cancel'> & {
    title: string
    /** Shown above the error. */
    intro?: ReactNode
    wide?: boolean
    onClose: () => void
    children: ReactNode
  }) {
  return (
    <Modal title={title} wide={wide} onClose={() => !form.pending && onClose()}>
      <Form form={form} intro={intro} onSubmit={onSubmit}>
        {children}
        <FormButtons form={form} action={action} submitLook={submitLook} cancel={cancel} onCancel={onClose} />
      </Form>
    </Modal>
  )
}
