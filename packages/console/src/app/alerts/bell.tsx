import { useNavigate, useSearch } from '@tanstack/react-router'
import { Bell as BellIcon } from 'lucide-react'
import { useOpenCount } from './open-groups.ts'
import { openAlerts as words } from './text.ts'
import { useLanguage } from '#console/core/language.ts'
import { Button } from '#console/ui/button.tsx'
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
      className="relative max-md:border-transparent! max-md:bg-transparent! max-md:text-inherit!"
    >
      <BellIcon className="size-[18px]" strokeWidth={1.75} aria-hidden="true" />
      {count > 0 && (
        <span
          aria-hidden="true"
          className="absolute -top-1.5 -right-1.5 grid h-[18px] min-w-[18px] place-items-center rounded-full bg-bad-solid px-1 text-xs font-bold text-panel tabular-nums max-md:top-0.5 max-md:right-0"
        >
          {said}
        </span>
      )}
    </Button>
  )
}
