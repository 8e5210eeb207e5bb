import type { DeviceStatus } from '@sdd/contract/devices.ts'
import { type Changed, devicesStatus, frontChange } from '@sdd/contract/live.ts'
import { topicOf } from '@sdd/contract/topic.ts'
import { type Scope, sees } from '#server/core/context.ts'

/** At most two `/front/change` a second to one browser: half a second, and some for what the way there adds. */
const MERGE_MS = 550

export type Live = {
  /** Says that these lists of the company have changed; to be called after the commit that changed them. */
  changed(company_id: number, ...what: Changed[]): void
  /** Says that a device has connected or disconnected, at once. */
  deviceStatus(company_id: number, device_uid: string, status: DeviceStatus): void
  stop(): void
}

type Publish = (topic: string, payload: string, may: (scope: Scope) => boolean) => void

/**
 * Tells browsers what has changed, each those of its own scope. Changes are merged for each audience (a company, or
 * all companies for superadmins): the first goes out at once, what comes within `MERGE_MS` after it together.
 */
export function startLive(publish: Publish): Live {
  const audiences = new Map<number | 'all', { pending: Set<Changed>; timer: NodeJS.Timeout | undefined }>()

  function note(audience: number | 'all', what: readonly Changed[]): void {
    let state = audiences.get(audience)
    if (state === undefined) audiences.set(audience, (state = { pending: new Set(), timer: undefined }))
    for (const list of what) state.pending.add(list)
    if (state.timer === undefined) tell(audience, state)
  }

  function tell(
    audience: number | 'all',
    state: { pending: Set<Changed>; timer: NodeJS.Timeout | undefined },
  ) {
    const payload = JSON.stringify({ changed: [...state.pending] })
    state.pending.clear()
    publish(topicOf(frontChange), payload, (scope) =>
      scope === 'all' ? audience === 'all' : scope.company_id === audience,
    )
    state.timer = setTimeout(() => {
      state.timer = undefined
      if (state.pending.size > 0) tell(audience, state)
      else audiences.delete(audience)
    }, MERGE_MS)
  }

  return {
    changed(company_id, ...what) {
      note(company_id, what)
      note('all', what)
    },
    deviceStatus(company_id, device_uid, status) {
      publish(topicOf(devicesStatus), JSON.stringify({ device_uid, status }), (scope) =>
        sees(scope, company_id),
      )
    },
    stop() {
      for (const { timer } of audiences.values()) clearTimeout(timer)
      audiences.clear()
    },
  }
}
