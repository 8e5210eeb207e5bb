import { fieldsOf, parseTemplateText, renderTemplateText } from '@sdd/contract/people/template-text.ts'
import type { InsertedTemplate } from '#console/messages/messages/template-fields.ts'
import TemplateChooser from '#console/people/templates/template-chooser.tsx'

/** The templates of the device's company, for the send form. */
export default function SendTemplates({
  company,
  onChoose,
  onClose,
}: {
  company: number | undefined
  onChoose: (template: InsertedTemplate) => void
  onClose: () => void
}) {
  return (
    <TemplateChooser
      company={company}
      onChoose={({ text }) => {
        const { pieces = [] } = parseTemplateText(text)
        const written = renderTemplateText(pieces, (field) => `{{${field}}}`).text
        if (written !== undefined) onChoose({ text: written, fields: fieldsOf(pieces) })
      }}
      onClose={onClose}
    />
  )
}
