import { conversationSearch } from '#server/people/conversations/search.store.ts'
import { conversationDetails, conversationStore, threadStore } from '#server/people/conversations/store.ts'
import { receivedStore } from '#server/people/conversations/received.store.ts'
import { numberOf } from './hot-rows.ts'
import { type HotStatement, OURS, PLACES } from './hot-statement.ts'

const FIRST_RECEIVED = { below: undefined, device_uid: undefined, limit: 51 }

const NO_SUCH = { text: 'no such text', numbers: ['nosuchtext'] }

export const conversations: HotStatement[] = [
  {
    name: 'Read the first page of the open conversations',
    writing: false,
    run: (tx) => conversationStore(tx, OURS).page(1, { status: 'open' }, undefined, 51),
    uses: ['conversations_by_status'],
  },
  {
    name: 'Read the first page of a small company’s conversations',
    writing: false,
    run: (tx, { small }) => conversationStore(tx, OURS).page(small, { status: 'done' }, undefined, 51),
    uses: ['conversations_by_status'],
  },
  {
    name: 'Count the open conversations of a company',
    writing: false,
    run: (tx) => conversationStore(tx, OURS).count(1, 1),
    uses: ['conversations_by_status', 'conversations_of_user'],
    reads: 1_000,
  },
  {
    name: 'Search the newest conversations of a company',
    writing: false,
    async run(tx) {
      const rows = await conversationStore(tx, OURS).page(1, { status: 'open' }, undefined, 20)
      return conversationSearch(tx, OURS).among(rows, NO_SUCH)
    },
    uses: {
      sqlite: [
        'conversations_by_status',
        'conversations_pkey',
        'inbox_by_number',
        'messages_by_number',
        'contacts_pkey',
      ],
      postgres: [
        'conversations_by_status',
        'conversations_pkey',
        'inbox_by_number',
        'messages_by_number',
        'contacts_by_number',
      ],
    },
    reads: 10_000,
  },
  {
    name: 'Search all conversations of a company by candidates of the index',
    writing: false,
    async run(tx) {
      const none = { ids: [1, 2, 3], reaches: Number.MAX_SAFE_INTEGER }
      const filter = { status: 'open' } as const
      const candidates = { sent: none, received: none }
      return conversationSearch(tx, OURS).search(NO_SUCH, candidates, filter, undefined, 51)
    },
    uses: {
      sqlite: ['inbox_pkey', 'messages_pkey', 'conversations_by_number'],
      postgres: ['inbox_pkey', 'inbox_by_company', 'messages_by_company', 'conversations_by_number'],
    },
    // The names of contacts have no index.
    whole: ['contacts', 'contacts_pkey'],
    reads: 10_000,
  },
  {
    name: 'Look up the last messages of 50 conversations',
    writing: false,
    run: (tx, { ended, idOf }) => conversationDetails(tx).messages(ended.slice(-50).map(idOf)),
    // PostgreSQL reads a queue as short as this one as a whole.
    uses: {
      sqlite: ['messages_pkey', ...PLACES],
      postgres: ['messages_pkey', 'outcomes_pkey', 'in_flight_pkey', 'devices_pkey'],
    },
    whole: ['queue'],
    reads: 1_000,
  },
  {
    name: 'Read the first page of messages to a number',
    writing: false,
    run: (tx, { ended }) => threadStore(tx, 1, numberOf(ended[9]!)).sent(Number.MAX_SAFE_INTEGER, 51),
    uses: ['messages_by_number', ...PLACES],
  },
  {
    name: 'Read the first page of a company’s received SMS',
    writing: false,
    run: (tx) => receivedStore(tx, OURS).page(FIRST_RECEIVED),
    // PostgreSQL reads the newest of all companies if many of them are of the company.
    uses: {
      sqlite: ['inbox_by_company', 'devices_pkey', 'messages_pkey'],
      postgres: ['inbox_pkey', 'devices_pkey', 'messages_pkey'],
    },
    whole: ['inbox_pkey'],
  },
  {
    name: 'Read the first page of a small company’s received SMS',
    writing: false,
    run: (tx, { small }) => receivedStore(tx, { company_id: small }).page(FIRST_RECEIVED),
    uses: ['inbox_by_company', 'devices_pkey', 'messages_pkey'],
  },
  {
    name: 'Search the received SMS that the index names',
    writing: false,
    run: (tx) => {
      const ids = Array.from({ length: 200 }, (_, place) => place * 7)
      return receivedStore(tx, OURS).search(NO_SUCH, FIRST_RECEIVED, ids)
    },
    uses: {
      sqlite: ['inbox_by_company', 'devices_pkey', 'messages_pkey'],
      postgres: ['inbox_pkey', 'devices_pkey', 'messages_pkey'],
    },
  },
]
