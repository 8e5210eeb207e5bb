import type { Dashboard } from '@sdd/contract/insight/dashboard.ts'
import type { WaitingReason } from '@sdd/contract/dispatch/waiting.ts'
import { linkOptions, type LinkProps } from '@tanstack/react-router'
import { dashboard as words } from './text.ts'
import { fieldTime } from '#console/ui/time.ts'

/** The states that the figures count together. */
const STATES = {
  queued: 'queued',
  delivered: 'delivered,replied',
  failed: 'failed,uncertain,expired',
} as const

type LogsWanted = {
  state?: keyof typeof STATES
  /** The code of a failure. */
  error?: string
  device_uid?: string
  view?: 'times' | 'errors'
  /** In ms. */
  from?: number
  to?: number
}

/** The link of each figure: the list that it counts, filtered. */
export const dashboardLinks = { logs, devices, reason }

function logs({ from, to, state, ...search }: LogsWanted): LinkProps {
  const times = {
    from: from === undefined ? undefined : fieldTime(from),
    to: to === undefined ? undefined : fieldTime(to),
  }
  const states = state && STATES[state]
  return linkOptions({ to: '/logs', search: { ...search, state: states, ...times } }) as LinkProps
}

function devices(search: {
  show?: 'connected' | 'disconnected' | 'disabled' | 'quarantined'
  carrier?: string
  search?: string
  open?: string
}) {
  return linkOptions({ to: '/devices', search }) as LinkProps
}

/** The link for a waiting reason, and the label of its button. */
function reason(waitingReason: WaitingReason): { link: LinkProps; button: string } {
  switch (waitingReason) {
    case 'sending_off':
      return { link: linkOptions({ to: '/settings' }) as LinkProps, button: words.toSettings }
    case 'device_offline':
      return { link: devices({ show: 'disconnected' }), button: words.toDevices }
    case 'device_disabled':
      return { link: devices({ show: 'disabled' }), button: words.toDevices }
    case 'quarantined':
      return { link: devices({ show: 'quarantined' }), button: words.toDevices }
    case 'maintenance':
    case 'no_device':
      return { link: devices({}), button: words.toDevices }
    case 'later':
    case 'daily_limit':
    case 'plan_used':
    case 'window_full':
    case 'pacing':
    case 'next':
      return { link: logs({ state: 'queued' }), button: words.toLogs }
  }
}

export function deviceFailedShare({ sent, failed }: Dashboard['by_device'][number]): number {
  return failed / Math.max(1, sent + failed)
}
