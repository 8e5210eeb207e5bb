import { campaignMessages } from '#server/people/campaigns/messages.store.ts'
import { contactsOf, messagesOf, pendingStore, rowStore } from '#server/people/campaigns/rows.store.ts'
import { campaignStore, countStore } from '#server/people/campaigns/store.ts'
import { CAMPAIGN } from './hot-data.ts'
import { numberOf, NOW } from './hot-rows.ts'
import { type HotStatement, OURS, PLACES } from './hot-statement.ts'

export const campaigns: HotStatement[] = [
  {
    name: 'Look for campaigns with something to do',
    writing: false,
    run: (tx) => campaignStore(tx, 'all').active(),
    uses: [],
  },
  {
    name: 'Read the counts of a campaign',
    writing: false,
    run: (tx) => countStore(tx).of([CAMPAIGN], ['pending', 'queued', 'handed']),
    uses: [],
  },
  {
    name: 'Read the next 100 rows of a campaign',
    writing: true,
    run: (tx) => pendingStore(tx, CAMPAIGN).due(NOW, 100),
    uses: ['campaign_rows_due'],
  },
  {
    name: 'Look up 50 contacts',
    writing: true,
    run: (tx, { ended }) => contactsOf(tx, 1, ended.slice(0, 50).map(numberOf)),
    // Both indexes begin with these two columns, in either order.
    uses: { sqlite: ['contacts_pkey'], postgres: ['contacts_by_number'] },
  },
  {
    name: 'Note that a row has its message',
    writing: true,
    run: (tx) => pendingStore(tx, CAMPAIGN).made({ line: 9_000, message_id: 1, now: NOW }),
    uses: ['campaign_rows_pkey'],
  },
  {
    name: 'Add to the counts of a campaign',
    writing: true,
    async run(tx) {
      await countStore(tx).add(CAMPAIGN, 'queued', 1)
      await tx.writeTotals()
    },
    uses: [],
  },
  {
    name: 'Read the messages of a campaign that wait',
    writing: true,
    run: (tx) => campaignMessages(tx, CAMPAIGN).waiting(),
    uses: ['campaign_rows_by_state', 'queue_pkey', 'messages_pkey'],
  },
  {
    name: 'Count the messages of a campaign that a device could take',
    writing: false,
    run: (tx) => campaignMessages(tx, CAMPAIGN).takeable(NOW),
    // PostgreSQL reads a queue as short as this one as a whole.
    uses: { sqlite: ['campaign_rows_by_state', 'queue_pkey'], postgres: ['campaign_rows_by_state'] },
    whole: ['queue'],
    reads: 1_000,
  },
  {
    name: 'Read the first page of the list of campaigns',
    writing: false,
    run: (tx) => campaignStore(tx, OURS).page({}, undefined, 51),
    uses: [],
  },
  {
    name: 'Read the first page of the rows of a campaign',
    writing: false,
    run: (tx) => rowStore(tx, CAMPAIGN).page(ALL, undefined, 101),
    uses: ['campaign_rows_pkey'],
  },
  {
    name: 'Look up the messages of 50 rows',
    writing: false,
    run: (tx, { ended, idOf }) => messagesOf(tx, ended.slice(-50).map(idOf)),
    // PostgreSQL reads a queue as short as this one as a whole.
    uses: {
      sqlite: ['messages_pkey', ...PLACES],
      postgres: ['messages_pkey', 'outcomes_pkey', 'in_flight_pkey', 'devices_pkey'],
    },
    whole: ['queue'],
    reads: 1_000,
  },
]

const ALL = { descending: false }
