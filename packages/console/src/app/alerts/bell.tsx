import { useNavigate, useSearch } from '@tanstack/react-router'
import { Bell as BellIcon } from 'lucide-react'
import { useOpenCount } from './open-groups.ts'
import { openAlerts as words } from './text.ts'
import { useLanguage } from '#console/core/language.ts'
import { Button } from '#console/ui/button.tsx'
import { cornerLook } from '#console/ui/corner.ts'
import { formatCount } from '#console/ui/numbers.ts'

/** Opens the list of alerts. Its badge counts the open ones. */
export default function Bell() {
  const navigate = useNavigate()
  const { alerts } = useSearch({ strict: false })
  const { count, more } = useOpenCount()
  useLanguage()
  const said = formatCount(count) + (more ? '+' : '')
  const label = count > 0 ? words.label(said) : words.title
  return (
    <Button
      square
      aria-label={label}
      title={label}
      aria-haspopup="dialog"
      aria-expanded={alerts === 'open'}
      onClick={() => void navigate({ to: '.', search: (now) => ({ ...now, alerts: 'open' }) })}
      className={cornerLook.button}
    >
      <BellIcon className="size-[18px]" strokeWidth={1.75} aria-hidden="true" />
      {count > 0 && (
        <span aria-hidden="true" className={`${cornerLook.badge} text-xs font-bold text-panel tabular-nums`}>
          {said}
        </span>
      )}
    </Button>
  )
}
