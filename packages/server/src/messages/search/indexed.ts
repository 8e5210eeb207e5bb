/** The tables whose texts and numbers have a search index. */
export type Indexed = 'messages' | 'inbox'

/** The columns of a text and its number, the index, and on PostgreSQL the sequence of the ids. */
export const indexed = {
  messages: {
    table: 'messages',
    text: 'message',
    number: 'message_to',
    ids: 'messages_ids',
    index: 'message_search',
  },
  inbox: { table: 'inbox', text: 'text', number: 'sms_from', ids: 'inbox_id_seq', index: 'inbox_search' },
} as const satisfies Record<Indexed, object>

export type IndexedTable = (typeof indexed)[Indexed]

export const INDEXED = Object.keys(indexed) as Indexed[]
