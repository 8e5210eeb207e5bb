import { alertMessageStore } from '#server/outward/alerts/channels.store.ts'
import { alertSubjects } from '#server/outward/alerts/subjects.store.ts'
import { HOUR_AGO, NOW } from './hot-rows.ts'
import type { HotStatement } from './hot-statement.ts'

const YESTERDAY = '2026-06-09T00:00:00.000Z'

export const alerts: HotStatement[] = [
  {
    name: 'Look for failed messages of a moment',
    writing: false,
    run: (tx) => alertSubjects(tx, 1).failedSince(NOW),
    uses: ['outcomes_ended'],
  },
  {
    name: 'Look for messages that were sent, but not delivered in the end',
    writing: false,
    run: (tx) => alertSubjects(tx, 1).undeliveredSince(HOUR_AGO),
    uses: ['outcomes_by_state'],
    reads: 1_000,
  },
  {
    name: 'Read the last 20 messages of a device that went out or failed',
    writing: false,
    run: (tx, { devices }) => alertSubjects(tx, 1).lastOn(devices[0]!, YESTERDAY, 20),
    uses: ['in_flight_by_device', 'outcomes_by_device'],
  },
  {
    name: 'Read the last 20 messages of a company that went out or failed',
    writing: false,
    run: (tx) => alertSubjects(tx, 1).lastOf(YESTERDAY, 20),
    uses: {
      sqlite: ['devices_pkey', 'outcomes_ended'],
      postgres: ['devices_pkey', 'in_flight_pkey', 'outcomes_ended'],
    },
    // From its newest message, until there are enough.
    whole: ['in_flight', 'in_flight_pkey'],
  },
  {
    name: 'Look for the due messages to channels',
    writing: false,
    run: (tx) => alertMessageStore(tx).due(NOW, { busy: [1, 2], full: [2], each: 20 }, 200),
    uses: {
      sqlite: ['alert_channels_pkey', 'alert_messages_due'],
      postgres: ['alert_channels_pkey', 'alert_messages_due', 'alert_tellings_by_message'],
    },
    whole: ['alert_messages_due'],
    reads: 1_000,
  },
]
