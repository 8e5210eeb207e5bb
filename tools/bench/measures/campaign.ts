import type { CampaignPreview } from '../../../packages/contract/src/people/campaign-checks.ts'
import type { Campaign } from '../../../packages/contract/src/people/campaigns.ts'
import { type Measure, openResult } from '../bench.ts'
import { openHttpLoad } from '../http.ts'
import { gainAccess, startBenchServer } from '../server.ts'
import { startScene } from '../work.ts'

/** Rows for each message of a round, up to the most that are measured. */
const ROWS = 10
const MOST_ROWS = 100_000
const CALL_ROWS = 5_000

/** A campaign from its upload by one client until a device has accepted its first message: rows a second. */
export const campaign: Measure = {
  ids: ['campaign'],
  async run(bench) {
    const server = await startBenchServer(await bench.home('campaign'))
    const access = await gainAccess(server)
    const scene = await startScene(server, access, { ...bench, connections: 1 })
    const headers = { authorization: `Bearer ${access.token}`, 'content-type': 'application/json' }
    const load = openHttpLoad({ port: server.port, connections: 1, headers })
    const sheet = openResult('campaign')
    const rows = Math.min(MOST_ROWS, ROWS * bench.messages)

    async function ask<Body>(route: `${'GET' | 'POST'} /${string}`, body?: object): Promise<Body> {
      const answer = await load.request(route, body && JSON.stringify(body))
      if (answer.status >= 300) throw new Error(`${route} was answered ${answer.status}: ${answer.body}`)
      return JSON.parse(answer.body) as Body
    }

    async function sendOne() {
      const draft = { name: 'Bench', text: 'Hola {{name}}', class: 'transactional' }
      const began = performance.now()
      const { id } = await ask<Campaign>('POST /api/campaigns', draft)
      for (let at = 0; at < rows; at += CALL_ROWS) {
        const some = Array.from({ length: Math.min(CALL_ROWS, rows - at) }, (_, place) => ({
          number: `+346${String(10_000_000 + at + place)}`,
          fields: { name: `row ${at + place}` },
        }))
        await ask(`POST /api/campaigns/${id}/rows`, { first_row: at + 1, rows: some })
      }
      const uploaded = performance.now()
      const { sendable } = await ask<CampaignPreview>(`GET /api/campaigns/${id}/preview`)
      const previewed = performance.now()
      await ask(`POST /api/campaigns/${id}/start`, { rows: sendable })
      const started = performance.now()
      for (let left = sendable; left === sendable;) {
        const { counts } = await ask<Campaign>(`GET /api/campaigns/${id}`)
        left = counts.pending + counts.queued
      }
      const handed = performance.now()
      await ask(`POST /api/campaigns/${id}/stop`)
      return {
        total_ms: handed - began,
        'ms of the upload': uploaded - began,
        'ms of the preview': previewed - uploaded,
        'ms of the start': started - previewed,
        'ms to the first hand-over': handed - started,
      }
    }

    await sendOne()
    await bench.postgres?.settle('campaign')
    for (let round = 1; round <= bench.rounds; round++) {
      const { total_ms, ...parts } = await sheet.watched(sendOne)
      for (const [name, ms] of Object.entries(parts)) sheet.figure(name, ms)
      sheet.figure('MiB of the server', server.child.resident_mib())
      sheet.value((rows * 1_000) / total_ms)
      bench.say(`campaign: round ${round} of ${bench.rounds}`)
    }
    load.close()
    await scene.close()
    await bench.close(server)
    sheet.note(`with ${rows} rows`)
    return [sheet.end()]
  },
}
