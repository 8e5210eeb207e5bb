import { type DeviceStatus, Changed, devicesStatus, frontChange } from '@sdd/contract/core/live.ts'
import { topicOf } from '@sdd/contract/core/topic.ts'
import { type Scope, isInScope } from './context.ts'
import type { Peers } from '#server/core/replicas/replicas.ts'

/** Limits a browser to two `/front/change` a second: half a second, and a margin for the time in transit. */
const MERGE_MS = 550
/** Longer than a status from another server takes to arrive. */
const FORGET_MS = 30_000

/** Conversations show the states of messages, opt-outs, and the names of contacts. */
const IN_CONVERSATIONS: readonly Changed[] = ['logs', 'opt_outs', 'contacts']

export type Live = {
  /** Announces that these lists of the company have changed. Call it after the commit that changed them. */
  changed(company_id: number, ...what: Changed[]): void
  /**
   * Announces at once that a device has connected or disconnected. The connection number reveals an outdated status:
   * one that another server sends late, about a connection that has been replaced.
   */
  deviceStatus(company_id: number, device_uid: string, status: DeviceStatus, connection: number): void
  stop(): void
}

/** Tells every browser that anything may have changed. */
export type Refresh = { refresh(): void }

type Publish = (topic: string, payload: string, may: (scope: Scope) => boolean) => void

/**
 * Tells browsers which lists have changed, each only within its scope. Changes are merged for each audience (a company,
 * or all companies for superadmins). The first goes out at once; those within the next `MERGE_MS` go out together. The
 * other servers are told too, and changes they announce go to the browsers connected here.
 */
export function startLive(publish: Publish, peers: Peers): Live & Refresh {
  /** The latest connection whose status was announced, by device: in the current interval and in the previous one. */
  let [latest, earlier] = [new Map<string, number>(), new Map<string, number>()]
  const forgetting = setInterval(() => {
    ;[latest, earlier] = [new Map(), latest]
  }, FORGET_MS).unref()
  const audiences = new Map<number | 'all', { pending: Set<Changed>; timer: NodeJS.Timeout | undefined }>()

  function note(audience: number | 'all', what: readonly Changed[]): void {
    let state = audiences.get(audience)
    if (state === undefined) audiences.set(audience, (state = { pending: new Set(), timer: undefined }))
    for (const list of what) state.pending.add(list)
    if (what.some((list) => IN_CONVERSATIONS.includes(list))) state.pending.add('conversations')
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

  function change(company_id: number, what: readonly Changed[]): void {
    note(company_id, what)
    note('all', what)
  }

  function say(company_id: number, device_uid: string, status: DeviceStatus, connection: number): void {
    latest.set(device_uid, connection)
    publish(topicOf(devicesStatus), JSON.stringify({ device_uid, status }), (scope) =>
      isInScope(scope, company_id),
    )
  }

  function refresh(): void {
    publish(topicOf(frontChange), JSON.stringify({ changed: Changed.options }), () => true)
  }

  peers.hear({
    changed: (company_id, what) => change(company_id, [what]),
    status(company_id, uid, status, connection) {
      const known = latest.get(uid) ?? earlier.get(uid) ?? 0
      if (connection >= known) say(company_id, uid, status, connection)
    },
  })
  peers.missed(refresh)

  return {
    changed(company_id, ...what) {
      change(company_id, what)
      for (const list of what) peers.tell('changed', company_id, list)
    },
    deviceStatus(company_id, uid, status, connection) {
      say(company_id, uid, status, connection)
      peers.tell('status', company_id, uid, status, connection)
    },
    refresh,
    stop() {
      clearInterval(forgetting)
      for (const { timer } of audiences.values()) clearTimeout(timer)
      audiences.clear()
    },
  }
}
