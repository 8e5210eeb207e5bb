import { Users } from 'lucide-react'
import { send as words } from './text.ts'
import { TemplateButton, withTemplate } from './template-button.tsx'
import type { Templates } from './templates.ts'
import type { Sending } from './use-sending.ts'
import { Button } from '#console/ui/button.tsx'

/** The buttons of the send screen's form beyond the specification. */
export default function SendTools({
  sending: { draft, change },
  templates,
  company,
  onInserted,
  onClosed,
}: {
  sending: Sending
  templates: Templates
  company: number | undefined
  onInserted: (fields: readonly string[]) => void
  onClosed: () => void
}) {
  return (
    <span className="mr-auto -ml-3 flex flex-wrap">
      <TemplateButton
        Chooser={templates.Chooser}
        company={company}
        onChoose={(template) => {
          change((now) => withTemplate(now, template))
          onInserted(template.fields)
        }}
        onClosed={onClosed}
      />
      <Button tone="ghost" onClick={() => change({ several: draft.to })}>
        <Users className="size-4" aria-hidden="true" />
        {words.several}
      </Button>
    </span>
  )
}
