import { CallFault, type Client, openClient } from '../packages/contract/src/core/client.ts'
import { saveKeyword } from '../packages/contract/src/messages/keywords.ts'
import { importContacts } from '../packages/contract/src/people/contacts.ts'
import { saveTemplate } from '../packages/contract/src/people/templates.ts'

const FIRST = ['Ana', 'Marc', 'Julia', 'Óscar', 'Laia', 'Irene', 'Pablo', 'Lucía', 'Iker', 'Nuria']
const LAST = ['Ruiz', 'Vila', 'Sanz', 'Prieto', 'Roca', 'Soto', 'Lema', 'Ferrer', 'Arana', 'Blanco']

/** Every second customer of the shop is a contact. Some have agreed to offers. */
const CONTACTS = 500

/** Contacts, templates and keywords. Those that are there stay as they are. */
export async function addPeople({ url, token }: { url: string; token: string }): Promise<void> {
  const client = openClient({ url, token })
  const rows = Array.from({ length: CONTACTS }, (_, n) => ({
    number: `+34600111${String(n * 2).padStart(3, '0')}`,
    name: `${FIRST[n % 10]} ${LAST[Math.floor(n / 10) % 10]}`,
    fields: { city: ['Madrid', 'Vigo', 'Lugo'][n % 3], order: String(88_000 + n) },
    lists: n % 4 === 0 ? ['Customers', 'Subscribers'] : ['Customers'],
    ...(n % 4 === 0 && { consent: { how: 'web form' } }),
  }))
  await client.call(importContacts, { query: {}, body: { rows } })
  await add(client, 'Delivered', 'Hi {{name}}, your order {{order}} has been delivered.')
  await add(client, 'Call us', 'Please call us on 900 123 456.')
  const hours = { word: 'HOURS', answer: 'Mon to Fri, 9:00 to 18:00.', action: 'answer' } as const
  await unlessThere(client.call(saveKeyword, { query: {}, body: hours }))
}

async function add({ call }: Pick<Client, 'call'>, name: string, text: string): Promise<void> {
  await unlessThere(call(saveTemplate, { query: {}, body: { name, text } }))
}

async function unlessThere(saving: Promise<unknown>): Promise<void> {
  try {
    await saving
  } catch (fault) {
    if (!(fault instanceof CallFault && ['name_taken', 'word_taken'].includes(fault.code ?? ''))) throw fault
  }
}
