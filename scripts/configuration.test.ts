import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CONFIGURATION_PAGE, configurationPage } from './configuration.ts'

test('docs/configuration.md lists the current settings', () => {
  const page = readFileSync(CONFIGURATION_PAGE, 'utf8')
  assert.equal(page, configurationPage(), 'stale: run `node scripts/configuration.ts`')
})
