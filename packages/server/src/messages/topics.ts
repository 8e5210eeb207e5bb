import { deviceInbox, deviceReports } from '@sdd/contract/device-protocol.ts'
import type { App } from '#server/app.ts'
import type { Take } from '#server/core/topics.ts'
import { takeInbox } from './inbox.ts'
import { openReports } from './reports.ts'

export function messageTopics(take: Take, app: App): void {
  take(deviceReports, openReports({ ...app, wake: app.wakeToGive }))
  take(deviceInbox, async (from, received) => {
    for (const sms of received) await takeInbox(app, from, sms)
  })
}
