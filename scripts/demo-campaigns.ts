import { type Client, openClient } from '../packages/contract/src/core/client.ts'
import { previewCampaign } from '../packages/contract/src/people/campaign-checks.ts'
import { type NewCampaignRow, uploadRows } from '../packages/contract/src/people/campaign-rows.ts'
import {
  createCampaign,
  listCampaigns,
  type NewCampaign,
  startCampaign,
} from '../packages/contract/src/people/campaigns.ts'
import { TEST_NUMBERS } from '../packages/simulator/src/test-numbers.ts'

const NAMES = ['Ana Ruiz', 'Marc Vila', 'Julia Sanz', 'Óscar Prieto', 'Laia Roca', 'Irene Soto', 'Pablo Lema']
const REMINDER = 'Hi {{name}}, see you tomorrow at {{time}}. Answer 1 to confirm.'
const NOTICE = 'Hi {{name}}, we are closed on Monday.'

/** Rows of the campaign that runs, and how long after the one before each is sent. */
const [ROWS, EVERY_MS] = [600, 12_000]

/** A campaign that ends soon, one that runs for two hours, and a draft. Once a day, so that a restart adds none. */
export async function startCampaigns({ url, token }: { url: string; token: string }): Promise<void> {
  const { call } = openClient({ url, token })
  const day = new Date().toISOString().slice(0, 10)
  const { campaigns } = await call(listCampaigns, { query: { search: day } })
  if (campaigns.length > 0) return
  const people = Array.from({ length: 40 }, (_, n) => personOf(n))
  const special: NewCampaignRow[] = [
    ...Object.keys(TEST_NUMBERS).map((number, n) => ({ number, fields: { name: NAMES[n % NAMES.length]! } })),
    { number: 'no number', fields: { name: 'Too short' } },
    people[0]!,
  ]
  await add({ call }, { name: `Closed on Monday, ${day}`, text: NOTICE, class: 'transactional' }, [
    ...people,
    ...special,
  ])
  const from_ms = Date.now()
  const paced = Array.from({ length: ROWS }, (_, n) => ({
    ...personOf(100 + n),
    at: new Date(from_ms + n * EVERY_MS).toISOString(),
  }))
  await add({ call }, { name: `Reminders, ${day}`, text: REMINDER, class: 'transactional' }, paced)
  const draft = { name: `Christmas, ${day}`, text: 'Merry Christmas, {{name}}!', class: 'marketing' } as const
  await call(createCampaign, { query: {}, body: draft })
}

async function add({ call }: Pick<Client, 'call'>, body: NewCampaign, rows: NewCampaignRow[]): Promise<void> {
  const { id } = await call(createCampaign, { query: {}, body })
  const params = { id: String(id) }
  await call(uploadRows, { params, body: { first_row: 1, rows, last: true } })
  const { sendable } = await call(previewCampaign, { params })
  await call(startCampaign, { params, body: { rows: sendable } })
}

function personOf(n: number): NewCampaignRow {
  const time = `${9 + (n % 8)}:${n % 2 === 0 ? '00' : '30'}`
  return {
    number: `+3460044${String(1_000 + n).padStart(4, '0')}`,
    fields: { name: NAMES[n % NAMES.length]!, time },
  }
}
