import { Link, type LinkProps } from '@tanstack/react-router'
import { holds } from '@sdd/contract/core/roles.ts'
import type { Alert } from '@sdd/contract/outward/alerts.ts'
import type { ReactNode } from 'react'
import { useRole } from '#console/core/use-role.ts'

const FAILED = 'failed,uncertain'

type Look = { className?: string; children: ReactNode }

/** A link to what an alert is about, or plain text if no screen shows it. `device`: its uid, if the alert is about a SIM in it. */
export function CauseLink({ alert, device, ...look }: Look & { alert: Alert; device: string | undefined }) {
  const target = useAllowed(causeOf(alert, device))
  return target ? <Link {...target} {...look} data-opens /> : <span {...look} />
}

/** A link to the list with all that a group of alerts is about. */
export function CausesLink({ alert, ...look }: Look & { alert: Alert }) {
  const target = useAllowed(causesOf(alert))
  return target ? <Link {...target} {...look} data-opens /> : <span {...look} />
}

type Target = LinkProps

/** Only admins have the tabs of Settings that are linked. */
function useAllowed(target: Target | undefined): Target | undefined {
  const manages = holds(useRole(), 'alerts:manage')
  return manages || target?.to !== '/settings' ? target : undefined
}

function causeOf({ rule, subject: { kind, id } }: Alert, device: string | undefined): Target | undefined {
  if (rule.condition === 'queue_age') return { to: '/running-tasks' }
  if (rule.condition === 'failure_rate')
    return { to: '/logs', search: { state: FAILED, ...(kind === 'device' && { device_uid: id }) } }
  if (kind === 'device') return { to: '/devices/$uid', params: { uid: id } }
  if (kind === 'sim')
    return device === undefined ? undefined : { to: '/devices/$uid', params: { uid: device } }
  return { to: '/settings', search: { tab: kind === 'webhook' ? 'callbacks' : 'alerts' } }
}

function causesOf({ rule: { condition }, subject: { kind } }: Alert): Target | undefined {
  if (condition === 'failure_rate') return { to: '/logs', search: { state: FAILED } }
  if (condition === 'device_away') return { to: '/devices', search: { show: 'disconnected' } }
  if (condition === 'device_quarantined') return { to: '/devices', search: { show: 'quarantined' } }
  if (condition === 'daily_limit_used') return { to: '/devices', search: { show: 'exhausted' } }
  if (kind === 'webhook') return { to: '/settings', search: { tab: 'callbacks' } }
  return { to: '/devices' }
}
