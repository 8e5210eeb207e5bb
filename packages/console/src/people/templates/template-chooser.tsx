import type { Template } from '@sdd/contract/people/templates.ts'
import { useQuery } from '@tanstack/react-query'
import { templatesQuery } from './templates.ts'
import { templates as words } from './text.ts'
import { Chooser } from '#console/ui/chooser.tsx'
import { foldText } from '#console/ui/fold.ts'

/** The templates of a company; if it is undefined, all that the user sees. */
export default function TemplateChooser({
  company,
  onChoose,
  onClose,
}: {
  company: number | undefined
  onChoose: (template: Template) => void
  onClose: () => void
}) {
  const { data: templates } = useQuery(templatesQuery)
  if (!templates) return null
  const own = templates.filter(({ company_id }) => company === undefined || company === company_id)
  return (
    <Chooser
      words={words.chooser}
      find={(typed) => {
        const wanted = foldText(typed.trim())
        return own.filter(({ name, text }) => foldText(`${name} ${text}`).includes(wanted))
      }}
      keyOf={({ id }) => String(id)}
      onChoose={(template) => {
        onClose()
        onChoose(template)
      }}
      onClose={onClose}
    >
      {({ name, text }) => (
        <span className="block" lang="">
          <b className="block font-semibold">{name}</b>
          <span dir="auto" className="block truncate text-sm text-muted">
            {text}
          </span>
        </span>
      )}
    </Chooser>
  )
}
