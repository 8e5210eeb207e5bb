import {
  deviceAnswers,
  deviceInbox,
  deviceNetworks,
  deviceReports,
  deviceStatus,
  deviceTelemetry,
} from '@sdd/contract/fleet/device-protocol.ts'
import { instant } from '#server/core/clock.ts'
import type { NeedsOf } from '#server/core/context.ts'
import { openBatching } from '@sdd/storage/batching.ts'
import type { ServeTopic } from '#server/fleet/transport/device-topics.ts'
import type { NamingNeeds } from '#server/fleet/sims/naming.ts'
import { keepNetworks, type Snapshot } from '#server/fleet/sims/networks.ts'
import { openPresence } from '#server/fleet/presence/presence.ts'
import { takeAnswer } from '#server/fleet/orders/orders.ts'
import { noteBalance } from '#server/fleet/sims/balance.ts'
import { openTelemetry } from '#server/fleet/telemetry/telemetry.ts'
import { takeInbox } from '#server/messages/inbox/inbox.ts'
import { takeTyped } from '#server/messages/inbox/typed.ts'
import { openReports } from '#server/dispatch/reports/reports.ts'
import { openResendTo } from './resending.ts'

type Needs = NamingNeeds &
  NeedsOf<
    | typeof openPresence
    | typeof openTelemetry
    | typeof takeAnswer
    | typeof takeInbox
    | typeof openReports
    | typeof openResendTo
  >

/** Snapshots of networks per transaction. This limits how long one takes. */
const SNAPSHOTS_AT_ONCE = 100

/** Handles every topic that devices publish to. */
export function handleTopics(serve: ServeTopic, needs: Needs): void {
  const { db, clock, live } = needs
  const storePresence = openPresence(needs)
  const resendTo = openResendTo(needs)
  const storeNetworks = openBatching(db, SNAPSHOTS_AT_ONCE, (tx, heard: readonly Snapshot[]) =>
    keepNetworks(tx, needs, heard, instant(clock.now())),
  )
  serve(deviceStatus, async (from, presences) => {
    for (const presence of presences) {
      const received_ms = clock.now()
      const connected = await storePresence(from, presence)
      if (connected) await resendTo(from, received_ms)
    }
  })
  serve(deviceNetworks, async (from, snapshots) => {
    const { device_id, company_id } = from
    const { outcomes, durable } = await storeNetworks([{ device_id, networks: snapshots.at(-1)! }])
    await durable
    if (outcomes[0]!.shows) live.changed(company_id, 'devices')
    if (outcomes[0]!.cards) live.changed(company_id, 'sims', 'devices')
  })
  serve(deviceTelemetry, openTelemetry(needs))
  serve(deviceReports, openReports(needs))
  serve(deviceAnswers, async (from, answers) => {
    for (const answer of answers) await takeAnswer(needs, from, answer, noteBalance)
  })
  serve(deviceInbox, async (from, list) => {
    for (const sms of list) await ('to' in sms ? takeTyped(needs, from, sms) : takeInbox(needs, from, sms))
  })
}
