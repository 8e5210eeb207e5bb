import { useQuery } from '@tanstack/react-query'
import { templatesQuery } from '#console/people/templates/templates.ts'
import { newCampaign as words } from './text.ts'
import { Chooser } from '#console/ui/chooser.tsx'
import { foldText } from '#console/ui/fold.ts'

/** The templates of the company. One is inserted with its fields. */
export default function TemplateChooser({
  company,
  onChoose,
  onClose,
}: {
  company: number | undefined
  onChoose: (text: string) => void
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
        onClose()
        onChoose(text)
      }}
      onClose={onClose}
    >
      {({ name, text }) => (
        <span className="block" lang="">
          <b className="block font-semibold">{name}</b>
          <span className="block truncate text-sm text-muted">{text}</span>
        </span>
      )}
    </Chooser>
  )
}
