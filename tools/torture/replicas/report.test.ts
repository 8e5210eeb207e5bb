import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reportOfSeveral } from './report.ts'
import type { SeveralOutcome } from './several.ts'

const ORDEAL = {
  victims: [1],
  lasts_ms: 0,
  began: 1_000,
  mended: 2_000,
  over: 12_000,
  stored_ms: undefined,
  faults: [],
}
const FAILED = { at: 1_100, ms: 3, kind: 'read', said: 502 } as const
const OUTCOME: SeveralOutcome = {
  seed: '7',
  secs: 63,
  replicas: 3,
  balancer: 'HAProxy',
  ordeals: [
    {
      ...ORDEAL,
      kind: 'kill',
      serving_ms: 250,
      failed: [FAILED, FAILED],
      fate: { devices: 4, gone_ms: 9_120, told_ms: 9_400, back_ms: 700 },
    },
    { ...ORDEAL, kind: 'restart', victims: [], serving_ms: 1_200, failed: [], fate: undefined },
    {
      ...ORDEAL,
      kind: 'failover',
      victims: [],
      lasts_ms: 2_000,
      serving_ms: 0,
      stored_ms: 3_100,
      failed: [],
      fate: undefined,
    },
  ],
  heard: [{ uid: 'watch-0001', status: 'connected', from: 0, to: 1, at: 5, ms: 48 }],
  beats: [FAILED, FAILED, { at: 2_000, ms: 12, kind: 'write', said: 200 }],
  tasks: 8,
  sms: 2,
  acknowledged: 9,
  ends: { delivered: 9 },
  on_air: 9,
  reports: 27,
  callbacks: { heard: 16, repeated: 1 },
  devices: { lives: 1, crashes: 4, connections: 9, on_air: 9, connected: 0 },
  observed: { entries: 9, looks: 40 },
  kept: undefined,
  faults: [],
}

test('a report says how soon all was well again after each kind of fault', () => {
  const text = reportOfSeveral(OUTCOME).join('\n')
  assert.match(text, /servers +3, behind HAProxy/)
  assert.match(
    text,
    /one server is killed \(kill -9\): 1 ×\n +serving again after 0\.3 s; requests not answered: 2 × 502/,
  )
  assert.match(text, /shown disconnected after 9\.1 s, told to browsers elsewhere after 9\.4 s/)
  assert.match(text, /connected elsewhere, or again, after 0\.7 s\n +PostgreSQL restarts \(fast\): 1 ×/)
  assert.match(text, /promoted 2\.0 s after the kill; first write acknowledged 3\.1 s after it/)
  assert.match(text, /requests +3 through the balancer, 2 of them not answered with 2xx; 12 ms/)
  assert.match(text, /Nothing was lost, nothing was sent twice/)
})
