import type { AlertChannel } from '@sdd/contract/outward/alert-channels.ts'
import type { Alert, AlertRule } from '@sdd/contract/outward/alerts.ts'
import { Plus } from 'lucide-react'
import { RuleItem } from './rule-item.tsx'
import { alertRules as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'

export function Rules({
  rules,
  channels,
  alerts,
  onOpen,
}: {
  rules: readonly AlertRule[]
  channels: readonly AlertChannel[]
  /** The open ones. */
  alerts: readonly Alert[]
  onOpen: (next: string) => void
}) {
  return (
    <section aria-label={words.rules} className="flex shrink-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="text-lg font-bold">{words.rules}</h2>
        <p className="min-w-0 text-muted max-md:order-last">{words.about}</p>
        <Button needsServer className="ml-auto" onClick={() => onOpen('new')}>
          <Plus className="size-4" aria-hidden="true" />
          {words.addRule}
        </Button>
      </div>
      {rules.length === 0 && <p className="panel px-4 py-3 text-muted">{words.noRules}</p>}
      {rules.length > 0 && (
        <ul className="panel">
          {rules.map((rule) => (
            <RuleItem
              key={rule.id}
              rule={rule}
              channels={channels.filter(({ id }) => rule.channels.includes(id))}
              open={alerts.filter(({ rule: { id } }) => id === rule.id).length}
              onOpen={onOpen}
            />
          ))}
        </ul>
      )}
    </section>
  )
}
