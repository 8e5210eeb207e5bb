import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setDefaultCACertificates } from 'node:tls'
import { startServer } from '../packages/server/test/server.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const FIXTURES = join(ROOT, 'packages/server/test/fixtures')

test('the rules of Prometheus and the dashboard use only metrics and states that the server has', async (t) => {
  setDefaultCACertificates([read('packages/server/test/fixtures/localhost-cert.pem')])
  const server = await startServer({
    settings: {
      MQTTS_PORT: '0',
      TLS_CERT_FILE: join(FIXTURES, 'localhost-cert.pem'),
      TLS_KEY_FILE: join(FIXTURES, 'localhost-key.pem'),
    },
  })
  t.after(() => server.stop())
  const text = await (
    await fetch(new URL('/metrics', `https://localhost:${new URL(server.url).port}`))
  ).text()
  const known = new Set(Array.from(text.matchAll(/^# TYPE (\S+)/gm), ([, name]) => name!))
  const dashboard = JSON.parse(read('deploy/grafana/sms-drone-dash.json')) as {
    panels: { targets: { expr: string }[] }[]
  }
  const rules = Array.from(
    read('deploy/prometheus/alerts.yaml').matchAll(/^ +expr: (.+)$/gm),
    ([, expr]) => expr!,
  )
  const shown = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  assert.ok(rules.length >= 10 && shown.length >= 10)
  const used = [...rules, ...shown].flatMap((expr) => expr.match(/\bsdd_\w+/g) ?? [])
  const unknown = used.filter((name) => !known.has(name.replace(/_bucket$/, '')) && !known.has(name))
  assert.deepEqual(unknown, [])
})

test('the dashboard has the types of Grafana, without fields that it does not know', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-dashboard-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const put = (name: string, text: string) => writeFileSync(join(folder, name), text)
  put(
    'dashboard.ts',
    `import type { Dashboard } from '@grafana/schema'
export const ours = ${read('deploy/grafana/sms-drone-dash.json').trim()} satisfies Dashboard
// @ts-expect-error A field that no panel has is found.
export const wrong = { schemaVersion: 39, panels: [{ type: 'timeseries', titel: '' }] } satisfies Dashboard
`,
  )
  const types = join(ROOT, 'node_modules/@grafana/schema/dist/types/index.d.ts')
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: 'nodenext',
    target: 'esnext',
    types: [],
    paths: { '@grafana/schema': [types] },
  }
  put('tsconfig.json', JSON.stringify({ compilerOptions, files: ['dashboard.ts'] }))
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
})
