import { fieldsOf, parseTemplateText, renderTemplateText } from '@sdd/contract/people/template-text.ts'
import { useQuery } from '@tanstack/react-query'
import type { InsertedTemplate } from '#console/messages/messages/template-fields.ts'
import { conversations as words } from '#console/people/conversations/text.ts'
import { templatesQuery } from '#console/people/templates/templates.ts'
import { Chooser } from '#console/ui/chooser.tsx'
import { foldText } from '#console/ui/fold.ts'

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
  const { data: templates } = useQuery(templatesQuery)
  if (!templates) return null
  const own = templates.filter(({ company_id }) => company === undefined || company === company_id)
  return (
    <Chooser
      words={words.templateChooser}
      find={(typed) => {
        const wanted = foldText(typed.trim())
        return own.filter(({ name, text }) => foldText(`${name} ${text}`).includes(wanted))
      }}
      keyOf={({ id }) => String(id)}
      onChoose={({ text }) => {
        const { pieces = [] } = parseTemplateText(text)
        const written = renderTemplateText(pieces, (field) => `{{${field}}}`).text
        if (written !== undefined) onChoose({ text: written, fields: fieldsOf(pieces) })
        onClose()
      }}
      onClose={onClose}
    >
      {({ name, text }) => (
        <span className="block">
          <b className="block font-semibold">{name}</b>
          <span className="block truncate text-sm text-muted">{text}</span>
        </span>
      )}
    </Chooser>
  )
}
