import type { Conversation, ConversationMessage } from '@sdd/contract/people/conversations.ts'
import { NOW } from './examples.ts'
import type { StandIn } from './stand-in.ts'

const nothing = {
  waiting_for: null,
  waiting_code: null,
  waiting_params: null,
  error_msg: null,
  error_msg_code: null,
  error_msg_params: null,
}

/** Conversations in each state: unread, answered, failed, assigned, opted out, and with a sender that has no number. */
function exampleConversations(): Conversation[] {
  const base: Conversation = {
    company_id: 1,
    number: '+34600111242',
    answerable: true,
    name: 'Lucía Ferrer Gil',
    last_at: instant(-60),
    last_text: '¿Puedo pagar con tarjeta en recepción?',
    last_direction: 'in',
    last_state: null,
    last_error_msg: null,
    last_error_msg_code: null,
    last_error_msg_params: null,
    unread: 2,
    status: 'open',
    assigned_to: null,
    opted_out: false,
    device_uid: 'drone-0001',
    sim: null,
  }
  const answered = { last_direction: 'out', unread: 0 } as const
  return [
    base,
    {
      ...base,
      ...answered,
      number: '+34600111593',
      name: null,
      last_at: instant(-600),
      last_text: 'Traiga la radiografía si la tiene.',
      last_state: 'failed',
      last_error_msg: 'no network',
      last_error_msg_code: 'no_network',
      last_error_msg_params: {},
      assigned_to: { id: 2, name: 'Ana Ruiz' },
      device_uid: 'drone-0005',
    },
    {
      ...base,
      number: '+34600111076',
      name: 'Elena Campos Ortiz',
      last_at: instant(-86_400),
      last_text: 'BAJA',
      unread: 1,
      opted_out: true,
    },
    {
      ...base,
      ...answered,
      number: '+34600111864',
      name: null,
      last_at: instant(-3 * 86_400),
      last_text: 'Su pedido 88213 está en camino.',
      last_state: 'delivered',
      status: 'done',
    },
    {
      ...base,
      number: 'BANCO',
      answerable: false,
      name: null,
      last_at: instant(-4 * 86_400),
      last_text: 'Su saldo es bajo.',
      unread: 0,
    },
  ]
}

/** The messages of each conversation: two days, each outcome, and one that waits for a device. */
function exampleMessages(): ConversationMessage[] {
  const out = (n: number, more: Partial<ConversationMessage>): ConversationMessage => ({
    id: `m${n}`,
    guid: `1d83e922-7c1e-4f0a-9b52-0000000009${String(n).padStart(2, '0')}`,
    direction: 'out',
    text: `Mensaje ${n}`,
    at: instant(-3_000 + n * 200),
    state: 'delivered',
    ...nothing,
    device_uid: 'drone-0001',
    sim: null,
    by: 'Ana Ruiz',
    by_kind: 'user',
    parts: 1,
    ...more,
  })
  const nobody = { by: null, by_kind: null }
  const since = instant(-700)
  const expires_at = instant(85_000)
  return [
    out(11, {
      text: 'Sí, sigue en pie: jueves 26 a las 17:30.',
      state: 'queued',
      device_uid: 'drone-0005',
      waiting_for: `The device drone-0005 is disconnected since ${since}.`,
      waiting_code: 'device_offline',
      waiting_params: { device: 'drone-0005', since, expires_at },
    }),
    out(10, { state: null, guid: null, direction: 'in', text: '¿Sigue en pie lo del jueves?', ...nobody }),
    out(9, {
      text: 'Su cita: jueves 26/11 a las 17:30.',
      state: 'uncertain',
      by: 'CRM de citas',
      by_kind: 'api_key',
    }),
    out(8, {
      text: 'Traiga la radiografía si la tiene.',
      state: 'failed',
      error_msg: 'No network.',
    }),
    out(12, {
      id: 't12',
      at: instant(-3_000 + 1_450),
      guid: null,
      text: 'La llamo en un minuto.',
      state: 'sent',
      by: null,
      by_kind: 'phone',
    }),
    out(7, { text: 'Claro: se la paso al jueves 26.', state: 'delivered' }),
    out(6, {
      at: instant(-86_400),
      state: null,
      guid: null,
      direction: 'in',
      text: '¿Podría ser más tarde? Me vale cualquier hora a partir de las cinco',
      ...nobody,
    }),
    out(5, { at: instant(-86_500), text: 'Hola, Lucía: le esperamos el jueves 26.', state: 'replied' }),
  ]
}

export function peopleAnswers(): StandIn['answers'] {
  const conversations = exampleConversations()
  const find = (path: string) => conversations.find(({ number }) => number === path.split('/')[3])
  return {
    'GET /api/conversations': ({ query }) => {
      const search = query.get('search') ?? ''
      const status = query.get('status') ?? 'open'
      const assigned = query.get('assigned')
      const shown = conversations.filter(
        (row) =>
          [row.status, 'all'].includes(status) &&
          (assigned === null || (assigned === 'none' ? !row.assigned_to : row.assigned_to?.id === 1)) &&
          (query.get('unread') !== 'true' || row.unread > 0) &&
          `${row.number} ${row.name} ${row.last_text}`.includes(search),
      )
      const open = conversations.filter((row) => row.status === 'open')
      const counts = {
        open: open.length,
        mine: open.filter((row) => row.assigned_to?.id === 1).length,
        unassigned: open.filter((row) => !row.assigned_to).length,
      }
      return {
        body: { conversations: shown, next_cursor: null, ...(query.get('counts') && { counts }) },
      }
    },
    'GET /api/conversations/*': ({ path }) => {
      const conversation = find(path)
      return conversation
        ? { body: { conversation, messages: exampleMessages(), next_cursor: null } }
        : {
            status: 404,
            body: { detail: 'There is no conversation.', code: 'unknown_conversation', params: {} },
          }
    },
    'POST /api/conversations/*': ({ path, body }) => {
      const { status, assigned_to, read_to } = JSON.parse(body) as {
        status?: Conversation['status']
        assigned_to?: number | null
        read_to?: string | null
      }
      const row = find(path)!
      if (status) row.status = status
      if (assigned_to !== undefined)
        row.assigned_to = assigned_to ? { id: assigned_to, name: 'Ana Ruiz' } : null
      if (read_to !== undefined) row.unread = read_to === null ? 1 : 0
      return { body: row }
    },
    'POST /api/conversations/*/messages': {
      status: 202,
      body: { guid: '1d83e922-7c1e-4f0a-9b52-000000000999' },
    },
    'DELETE /api/conversations/*/messages/*': { body: { ...exampleMessages()[0], state: 'cancelled' } },
    'GET /api/keywords': {
      body: {
        keywords: [
          { id: 1, company_id: 1, word: 'HORARIO', answer: 'Abrimos de 9 a 14.', action: 'answer' },
          { id: 2, company_id: 1, word: 'quitar', answer: null, action: 'stop' },
        ],
      },
    },
    'GET /api/templates': {
      body: {
        templates: [
          { id: 1, company_id: 1, name: 'Confirmar cita', text: 'Hola, {{name}}: su cita está confirmada.' },
          { id: 2, company_id: 1, name: 'Dirección', text: 'Estamos en la calle Mayor 4, {{city}}.' },
        ],
      },
    },
  }
}

function instant(secs: number): string {
  return new Date(NOW + secs * 1000).toISOString()
}
