import { readContact } from '@sdd/contract/people/contacts.ts'
import { parseTemplateText, renderTemplateText } from '@sdd/contract/people/template-text.ts'
import type { Template } from '@sdd/contract/people/templates.ts'
import { CallFault } from '@sdd/contract/core/client.ts'
import { useQuery } from '@tanstack/react-query'
import { callApi } from '#console/core/api.ts'
import type { ConversationRef } from './conversations.ts'
import { conversations as words } from './text.ts'
import { templatesQuery } from '#console/people/templates/templates.ts'
import { Chooser } from '#console/ui/chooser.tsx'
import { foldText } from '#console/ui/fold.ts'
import { toast } from '#console/ui/toast.tsx'

/** The templates of the company, and what each says to this person. */
export default function TemplateChooser({
  of: { number, company },
  onChoose,
  onClose,
}: {
  of: ConversationRef
  onChoose: (text: string) => void
  onClose: () => void
}) {
  const { data: templates } = useQuery(templatesQuery)
  const { data: contact } = useQuery({
    queryKey: ['contacts', number, company],
    queryFn: ({ signal }) =>
      callApi(readContact, { params: { number }, query: { company }, signal }).catch((fault: unknown) => {
        if (fault instanceof CallFault && fault.status === 404) return null
        throw fault
      }),
  })

  function choose({ text: template }: Template): void {
    const valueOf = (field: string) =>
      field === 'number' ? number : field === 'name' ? contact?.name : contact?.fields[field]
    const { pieces = [] } = parseTemplateText(template)
    const { text, missing } = renderTemplateText(pieces, valueOf)
    if (text === undefined) toast({ text: words.templateMissing(missing) })
    else onChoose(text)
    onClose()
  }

  if (!templates || contact === undefined) return null
  const own = templates.filter(({ company_id }) => company === undefined || company === String(company_id))
  return (
    <Chooser
      words={words.templateChooser}
      find={(typed) => {
        const wanted = foldText(typed.trim())
        return own.filter(({ name, text }) => foldText(`${name} ${text}`).includes(wanted))
      }}
      keyOf={({ id }) => String(id)}
      onChoose={choose}
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
