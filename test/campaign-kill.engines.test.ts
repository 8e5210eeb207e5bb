import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CampaignRow } from '../packages/contract/src/people/campaign-rows.ts'
import type { Campaign } from '../packages/contract/src/people/campaigns.ts'
import { eventually } from '../packages/server/test/device.ts'
import { newDatabase, onPostgres } from '../packages/server/test/engine.ts'
import { startInstallation } from './installation.ts'

/** `ROWS` and `KILLS` make it longer. */
const ROWS = Number(process.env.ROWS ?? 800)
const KILLS = Number(process.env.KILLS ?? 6)
const PATIENCE_MS = 60_000 + ROWS * 20

test('a campaign whose server is killed again and again sends each row once, and loses none', async (t) => {
  const installation = await startInstallation({
    devices: 10,
    behaviour: { send_ms: [5, 60], delivery_ms: [1, 50], undelivered: 0.05 },
    max_sms_dayly: 100_000,
    settings: onPostgres ? { DATABASE_URL: await newDatabase() } : {},
  })
  t.after(() => installation.stop())
  const { api, fleet } = installation
  async function ask<Body>(path: string, body?: unknown): Promise<Body> {
    const answer = await api<Body>(path, body)
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return answer.body
  }
  const draft = { name: 'Killed', text: 'Hola {{name}}', class: 'transactional' }
  const { id } = await ask<Campaign>('/api/campaigns', draft)
  const path = `/api/campaigns/${id}`
  const rows = Array.from({ length: ROWS }, (_, at) => ({
    number: `+346${String(10_000_000 + at)}`,
    fields: { name: `row ${at + 1}` },
  }))
  for (let at = 0; at < ROWS; at += 5_000)
    await ask(`${path}/rows`, { first_row: at + 1, rows: rows.slice(at, at + 5_000) })
  await ask(`${path}/start`, { rows: ROWS })

  const readWell = async () => {
    const campaign = await ask<Campaign>(path)
    const counted = Object.values(campaign.counts).reduce((sum, count) => sum + count, 0)
    assert.equal(counted, ROWS, JSON.stringify(campaign.counts))
    return campaign
  }
  for (let kill = 1; kill <= KILLS; kill++) {
    // Each life gets further, so none of the kills meets an idle server.
    await eventually(async () => {
      const { pending } = (await readWell()).counts
      return pending <= ROWS - (kill * ROWS) / (KILLS + 2)
    }, PATIENCE_MS)
    await installation.server.kill()
    await installation.restart()
  }
  const ended = await eventually(async () => {
    const campaign = await readWell()
    return campaign.state === 'finished' && campaign.counts.sent === 0 ? campaign : undefined
  }, PATIENCE_MS)

  const found: CampaignRow[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { rows: CampaignRow[]; next_cursor: string | null } = await ask(
      `${path}/rows?limit=1000${cursor && `&cursor=${cursor}`}`,
    )
    found.push(...page.rows)
    cursor = page.next_cursor
  }
  assert.deepEqual(
    found.map(({ row, guid, text }) => [row, guid, text]),
    rows.map(({ fields }, at) => [at + 1, `campaign:${id}:${at + 1}`, `Hola ${fields.name}`]),
  )
  const onAir = fleet.onAir()
  const sent = found.filter(({ state }) => state !== 'uncertain')
  assert.deepEqual(
    sent.filter(({ guid }) => onAir.get(guid!) !== 1).map(({ guid, state }) => [guid, state]),
    [],
    'each on air once',
  )
  assert.ok(found.every(({ guid }) => (onAir.get(guid!) ?? 0) <= 1))
  assert.deepEqual(fleet.breaches(), [])
  t.diagnostic(`${KILLS} kills; ${JSON.stringify(ended.counts)}`)
})
