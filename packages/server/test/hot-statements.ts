import { shareSettingsLock } from '#server/accounts/settings/settings.ts'
import type { Tx } from '#server/database/schema.ts'
import { unansweredCancels, unfinishedStore } from '#server/dispatch/expiry/store.ts'
import { addToCounter } from '#server/messages/messages/counters.store.ts'
import { countInLane, laneWalk, queueHeads, recipientStore } from '#server/dispatch/lanes/store.ts'
import { resendingStore } from '#server/dispatch/resending.store.ts'
import { capacityStore } from '#server/fleet/devices/capacity.store.ts'
import { walkLog } from '#server/insight/log/walk.ts'
import { retentionStore } from '#server/insight/retention/store.ts'
import { noteSent } from '#server/messages/conversations/noting.ts'
import { messagesByGuids } from '#server/messages/messages/reported.store.ts'
import {
  companiesOfGuid,
  insertMessages,
  knownGuids,
  messageStore,
  type NewMessage,
} from '#server/messages/messages/store.ts'
import { openKeptMessages } from '#server/messages/messages/kept-messages.ts'
import { optedOut } from '#server/messages/opt-outs/opt-outs.ts'
import { taskStore } from '#server/tasks/store.ts'
import { alerts } from './hot-alerts.ts'
import { campaigns } from './hot-campaigns.ts'
import { conversations } from './hot-conversations.ts'
import { type HotData, REPLICA } from './hot-data.ts'
import { DAY_AGO, guidOf, HOUR_AGO, keysOf, NOW, numberOf, TODAY } from './hot-rows.ts'
import { type HotRows, type HotStatement, OURS, PLACES } from './hot-statement.ts'
import { claim } from './hot-claims.ts'
import { report } from './hot-reports.ts'
import { sims } from './hot-sims.ts'

export async function readHotRows(tx: Tx, data: HotData): Promise<HotRows> {
  const read = (messages: readonly number[]) => messagesByGuids(tx, keysOf(messages), openKeptMessages())
  return {
    ...data,
    given_messages: await read(data.given.slice(0, 10)),
    sent_messages: await read(data.sent.slice(0, 10)),
    ended_messages: await read(data.ended.slice(-10)),
    waiting_messages: await queueHeads(tx, 1, NOW).ofLane('', 10),
  }
}

/** Numbers of messages that do not exist. */
const FRESH = Array.from({ length: 50 }, (_, place) => 9_000_000 + place)

const accept: HotStatement[] = [
  {
    name: 'Look up the guids of 50 new tasks',
    writing: true,
    run: (tx) => knownGuids(tx, 1, FRESH.map(guidOf)),
    uses: ['messages_by_guid'],
  },
  {
    name: 'Lock the settings of the company',
    writing: true,
    run: (tx) => shareSettingsLock(tx, 1),
    uses: [],
  },
  {
    name: 'Look for blocks of 50 numbers',
    writing: true,
    run: (tx, { ended }) => optedOut(tx, 1, ended.slice(0, 50).map(numberOf)),
    uses: ['opt_outs_by_number'],
  },
  {
    name: 'Look up the devices that last wrote to 50 numbers',
    writing: true,
    run: (tx, { ended }) =>
      recipientStore(tx, 1).devicesOf(ended.slice(-50).map(numberOf), DAY_AGO, { now: NOW, day: TODAY }),
    uses: ['capacity_pkey', 'device_sims_pkey', 'devices_pkey', 'recipients_pkey', 'sims_by_device'],
  },
  {
    name: 'Insert 50 messages, and their places in the queue',
    writing: true,
    run: (tx) => insertMessages(tx, FRESH.map(newTask)),
    uses: { sqlite: ['messages_pkey'], postgres: [] },
  },
  {
    name: 'Add to a counter',
    writing: true,
    run: (tx) =>
      addToCounter(tx, {
        figure: 'state',
        company_id: 1,
        period: '2026-06-10T08',
        key: 'queued',
        count: 50,
        last_at: NOW,
      }),
    uses: { sqlite: [], postgres: ['counters_pkey'] },
  },
  {
    name: 'Add to a lane',
    writing: true,
    run: (tx) => countInLane(tx, 1, '', 50),
    uses: [],
  },
  {
    name: 'Note 50 messages in their conversations',
    writing: true,
    async run(tx, { ended }) {
      await noteSent(tx, [...ended.slice(0, 25), ...FRESH.slice(0, 25)].map(newTask), FRESH)
      await tx.writeTotals()
    },
    uses: [],
  },
]

const periodic: HotStatement[] = [
  ...both({
    name: 'Look for messages past their expiry',
    run: (tx, limit) => unfinishedStore(tx, 'all').overdue(NOW, limit),
    uses: ['queue_expiring', 'in_flight_look', 'messages_pkey', 'devices_pkey'],
  }),
  ...both({
    name: 'Look for messages without an outcome long after their expiry',
    run: (tx, limit) => unfinishedStore(tx, 'all').overdueAccepted(HOUR_AGO, NOW, limit),
    uses: ['in_flight_look', 'messages_pkey', 'devices_pkey'],
  }),
  ...both({
    name: 'Look for commands to send again',
    run: (tx, limit) => resendingStore(tx).due(REPLICA, NOW, limit),
    uses: ['devices_pkey', 'in_flight_look', 'messages_pkey', 'sims_pkey'],
  }),
  ...both({
    name: 'Look for answered messages whose time has come',
    run: (tx, limit) => resendingStore(tx).answered(NOW, HOUR_AGO, limit),
    uses: ['in_flight_look', 'messages_pkey', 'devices_pkey'],
  }),
  ...both({
    name: 'Look for unanswered cancels',
    run: (tx, limit) => unansweredCancels(tx, REPLICA, NOW, limit),
    uses: ['in_flight_cancelled', 'attempts_cancelled', 'messages_pkey', 'devices_pkey'],
  }),
  ...both({
    name: 'Look for tasks whose time in their lane is over',
    run: (tx, limit) => laneWalk(tx).due(NOW, limit),
    uses: ['queue_lane_until', 'messages_pkey'],
  }),
  ...both({
    name: 'Look for devices that cannot serve their lanes',
    run: (tx, limit) => capacityStore(tx).left({ now: NOW, day: TODAY }, limit),
    uses: ['capacity_awaited', 'device_sims_pkey', 'devices_pkey', 'sims_by_device'],
    whole: ['capacity_awaited', 'devices_pkey'],
    reads: 1_000,
  }),
  {
    name: 'Move 10 tasks to another lane',
    writing: true,
    run: (tx, { due, idOf }) => laneWalk(tx).move(due.slice(0, 10).map(idOf), { lane: '', lane_until: null }),
    uses: ['queue_pkey'],
  },
  {
    name: 'Read the capacity of all devices at this server',
    writing: false,
    run: (tx) => capacityStore(tx).at({ replica: REPLICA, after: 0, limit: 2_000, now: NOW }),
    uses: {
      sqlite: ['capacity_pkey', 'device_sims_pkey', 'devices_by_replica', 'sims_by_device'],
      postgres: ['capacity_pkey', 'device_sims_pkey', 'devices_pkey', 'sims_by_device'],
    },
    whole: ['devices', 'devices_pkey', 'capacity', 'capacity_pkey'],
    reads: 1_000,
  },
]

/** PostgreSQL reads the newest messages of all companies if many of them are of the company. */
const BY_SHARE = {
  sqlite: ['messages_by_company', ...PLACES],
  postgres: ['messages_pkey', ...PLACES],
}

const pages: HotStatement[] = [
  {
    name: 'Read the first page of the log of all companies',
    writing: false,
    run: (tx) => walkLog(tx, 'all', {}, 51).next(),
    uses: ['messages_pkey', ...PLACES],
  },
  {
    name: 'Read the first page of a company’s log',
    writing: false,
    run: (tx) => walkLog(tx, OURS, {}, 51).next(),
    uses: { sqlite: ['messages_by_company', ...PLACES], postgres: ['messages_pkey', ...PLACES] },
  },
  {
    name: 'Read the first page of a small company’s log',
    writing: false,
    run: (tx, { small }) => walkLog(tx, { company_id: small }, {}, 51).next(),
    uses: ['messages_by_company', ...PLACES],
  },
  {
    name: 'Read the first page of the messages that have not ended',
    writing: false,
    run: (tx) => walkLog(tx, OURS, { state: ['queued'] }, 51).next(),
    uses: ['messages_pkey', 'in_flight_pkey', 'queue_pkey', 'devices_pkey'],
    // In flight, messages of all companies are together.
    whole: ['in_flight', 'messages_pkey'],
    reads: 2_000,
  },
  {
    name: 'Read the first page of the failed messages',
    writing: false,
    run: (tx) => walkLog(tx, OURS, { state: ['failed'] }, 51).next(),
    uses: ['outcomes_by_state', 'messages_pkey', 'devices_pkey'],
  },
  {
    name: 'Read the first page of a small company’s failed messages',
    writing: false,
    run: (tx, { small }) => walkLog(tx, { company_id: small }, { state: ['failed'] }, 51).next(),
    uses: ['outcomes_by_state', 'messages_pkey', 'devices_pkey'],
  },
  {
    name: 'Read the first page of a company’s tasks',
    writing: false,
    run: (tx) => taskStore(tx, OURS).page('all', undefined, 51),
    uses: BY_SHARE,
  },
  {
    name: 'Read the first page of a small company’s tasks',
    writing: false,
    run: (tx, { small }) => taskStore(tx, { company_id: small }).page('all', undefined, 51),
    uses: ['messages_by_company', ...PLACES],
  },
  {
    name: 'Read the first page of the completed tasks',
    writing: false,
    run: (tx) => taskStore(tx, OURS).page('completed', undefined, 51),
    uses: BY_SHARE,
    // The newest ones still wait.
    reads: 2_000,
  },
  {
    name: 'Read a message by its guid',
    writing: false,
    run: (tx, { ended }) => messageStore(tx, OURS).byGuid(guidOf(ended[0]!)),
    uses: ['messages_by_guid', ...PLACES],
  },
  {
    name: 'Look up the companies that have a guid',
    writing: false,
    run: (tx, { ended }) => companiesOfGuid(tx, guidOf(ended[0]!), 'messages'),
    uses: ['messages_by_guid'],
  },
]

const retention: HotStatement[] = [
  ...both({
    name: 'Look for messages past their retention',
    run: (tx, limit) => retentionStore(tx, 1).old('messages', '2026-05-02', limit),
    uses: ['outcomes_ended'],
  }),
]

export const HOT_STATEMENTS = {
  accept,
  claim,
  sims,
  report,
  periodic,
  pages,
  conversations,
  campaigns,
  alerts,
  retention,
}

/** A step looks first without a lock. If there is something, it looks again in the transaction that changes it. */
function both({
  run,
  ...statement
}: Omit<HotStatement, 'writing' | 'run'> & { run(tx: Tx, limit: number): Promise<unknown> }): HotStatement[] {
  return [
    { ...statement, writing: false, run: (tx) => run(tx, 1) },
    { ...statement, name: `${statement.name}, to change them`, writing: true, run: (tx) => run(tx, 100) },
  ]
}

function newTask(message: number): NewMessage {
  return {
    company_id: 1,
    guid: guidOf(message),
    message: `Your order ${message} is on its way.`,
    message_to: numberOf(message),
    parts: 1,
    priority: 1,
    silent: 0,
    task: 1,
    queue_timestamp: NOW,
    due_at: NOW,
    expires_at: NOW,
    lane: '',
  }
}
