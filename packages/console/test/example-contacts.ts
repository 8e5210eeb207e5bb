import type { Contact } from '@sdd/contract/people/contacts.ts'
import { NOW } from './examples.ts'
import type { StandIn } from './stand-in.ts'

export const exampleContacts: Contact[] = [
  contact('+34600111222', {
    name: 'Lucía Prado',
    fields: { ciudad: 'Vigo', pedido: 'A-17' },
    lists: ['clientes', 'vip'],
    consent: { given_at: instant(-90_000), how: 'formulario web', by: 'Ana Ruiz' },
  }),
  contact('+34600111333', { name: 'Bruno Sanz', lists: ['clientes'], opted_out: true }),
  contact('+34600111444', { company_id: 2 }),
]

function contact(number: string, rest: Partial<Contact>): Contact {
  return {
    company_id: 1,
    number,
    name: null,
    fields: {},
    lists: [],
    consent: null,
    opted_out: false,
    updated_at: instant(-3_600),
    ...rest,
  }
}

/** The contact of any other number, such as that of a conversation. */
function personOf(number: string): Contact {
  return contact(number, {
    name: 'Lucía Ferrer Gil',
    fields: { idioma: 'Español' },
    lists: ['Pacientes'],
    consent: { given_at: instant(-90_000), how: 'por formulario web', by: 'Ana Ruiz' },
  })
}

/** Lists and single contacts work, but nothing is stored. */
export function contactAnswers(): StandIn['answers'] {
  return {
    'GET /api/contacts': ({ query }) => {
      const wanted = exampleContacts.filter(
        ({ number, name, lists }) =>
          `${number} ${name}`.includes(query.get('search') ?? '') &&
          (query.get('list') === null || lists.includes(query.get('list')!)),
      )
      return { body: { contacts: wanted, next_cursor: null } }
    },
    'GET /api/lists': {
      body: {
        lists: [
          { company_id: 1, name: 'clientes', contacts: 2 },
          { company_id: 1, name: 'vip', contacts: 1 },
        ],
      },
    },
    'GET /api/contacts/*': ({ path }) => {
      const found = exampleContacts.find(({ number }) => number === path.split('/').at(-1))
      return { body: found ?? personOf(path.split('/').at(-1)!) }
    },
    'PUT /api/contacts/*': ({ path, body }) => ({
      body: { ...contact(path.split('/').at(-1)!, {}), ...(JSON.parse(body) as object) },
    }),
    'DELETE /api/contacts/*': { status: 204 },
    'POST /api/contacts/import': ({ body }) => {
      const { rows } = JSON.parse(body) as { rows: unknown[] }
      return { body: { added: rows.length, changed: 0, unchanged: 0, refused: [] } }
    },
  }
}

function instant(secs: number): string {
  return new Date(NOW + secs * 1000).toISOString()
}
