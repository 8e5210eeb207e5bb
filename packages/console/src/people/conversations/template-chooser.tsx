import { ownField, parseTemplateText, renderTemplateText } from '@sdd/contract/people/template-text.ts'
import type { Template } from '@sdd/contract/people/templates.ts'
import { useQuery } from '@tanstack/react-query'
import type { ConversationRef } from './conversations.ts'
import { conversations as words } from './text.ts'
import { contactQuery } from '#console/people/contacts/contacts.ts'
import TemplateChooser from '#console/people/templates/template-chooser.tsx'
import { toast } from '#console/ui/toast.tsx'

/** The templates of the company. The chosen one is filled with the data of this person. */
export default function AnswerTemplates({
  of: { number, company },
  onChoose,
  onClose,
}: {
  of: ConversationRef
  onChoose: (text: string) => void
  onClose: () => void
}) {
  const { data: contact } = useQuery(contactQuery(number, company))

  function choose({ text: template }: Template): void {
    const valueOf = (field: string) =>
      field === 'number' ? number : field === 'name' ? contact?.name : ownField(contact?.fields, field)
    const { pieces = [] } = parseTemplateText(template)
    const { text, missing } = renderTemplateText(pieces, valueOf)
    if (text === undefined) toast({ text: words.templateMissing(missing) })
    else onChoose(text)
  }

  if (contact === undefined) return null
  return (
    <TemplateChooser
      company={company === undefined ? undefined : Number(company)}
      onChoose={choose}
      onClose={onClose}
    />
  )
}
