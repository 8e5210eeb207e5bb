import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { findBreaches, RULES, SHARED } from './areas.ts'

const root = join(import.meta.dirname, '..')
const found = placesByRule(join(import.meta.dirname, 'fixtures/areas'))
const foundHere = placesByRule(root)

/** The findings of each rule in lint/fixtures/areas. */
const expected: Record<keyof typeof RULES, string[]> = {
  place: ['server: elsewhere/lost.ts', 'server: lost.ts'],
  line: [
    'console: core/bad.ts -> app/routes.tsx',
    'console: ui/bad.tsx -> fleet/limits/limits.ts',
    'contract: core/fields.ts -> fleet/devices.ts',
    'server: core/bad.ts -> accounts/users/users.ts',
    'server: core/bad.ts -> dispatch/reports/reports.ts',
    'server: core/bad.ts -> fleet/devices/devices.ts',
    'server: core/bad.ts -> insight/log/log.ts',
    'server: core/bad.ts -> outward/callbacks/callbacks.ts',
    'server: core/bad.ts -> tasks/tasks.ts',
    'server: database/bad.ts -> accounts/users/users.ts',
    'server: messages/messages/bad.ts -> dispatch/topics.ts',
  ],
  files: ['agent: modem/pin.ts, modem/setup.ts', 'server: fleet/devices/devices.ts, fleet/devices/queue.ts'],
  nouns: ['server: accounts/auth, accounts/users'],
  wiring: [
    'server: messages/messages/bad.ts -> dispatch/topics.ts',
    'server: messages/messages/bad.ts -> fleet/devices/routes.ts',
    'server: messages/messages/bad.ts -> fleet/devices/topics.ts',
  ],
  store: [
    'server: messages/messages/bad.ts -> fleet/devices/capacity.store.ts',
    'server: messages/messages/bad.ts -> fleet/devices/store.ts',
  ],
  noun: [
    'console: fleet/devices/bad.tsx -> accounts/users/sub/users.ts',
    'console: fleet/devices/bad.tsx -> accounts/users/user-form.tsx',
  ],
  style: ['console: fleet/devices/bad.css', 'console: fleet/devices/bad.tsx -> ui/row-table.css'],
  names: ['server: Counted in accounts/users/users.ts, fleet/devices/devices.ts'],
  whole: ['server: app/readiness.ts -> app/app.ts', 'server: app/serving.ts -> app/app.ts'],
}

for (const [name, places] of Object.entries(expected)) {
  const rule = RULES[name as keyof typeof RULES]
  test(`every breach of this rule is found: ${rule}`, () => {
    assert.deepEqual(found.get(rule), places)
  })
  test(`no package breaks this rule: ${rule}`, () => {
    assert.deepEqual(foundHere.get(rule) ?? [], [])
  })
}

test('every file listed as shared exists', () => {
  for (const path of Object.keys(SHARED)) {
    const [name, ...rest] = path.split('/')
    assert.ok(readFileSync(join(root, 'packages', name!, 'src', ...rest)).length > 0, path)
  }
})

function placesByRule(folder: string): Map<string, string[]> {
  const byRule = Map.groupBy(findBreaches(folder), ({ rule }) => rule)
  return new Map(Array.from(byRule, ([rule, breaches]) => [rule, breaches.map(({ place }) => place).sort()]))
}
