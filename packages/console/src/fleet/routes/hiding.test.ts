import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RouteMatch, RouteRule } from '@sdd/contract/fleet/routes.ts'
import { hiddenBy } from './hiding.ts'

const rule = (match: RouteMatch, enabled = true): RouteRule => ({
  id: 1,
  match,
  via: null,
  fallback: 'wait',
  fallback_after_secs: 0,
  enabled,
  note: null,
})

test('a rule is hidden if an earlier enabled one matches all of its messages', () => {
  const cases: [RouteMatch, RouteMatch, boolean][] = [
    [{}, { prefix: '+34' }, true],
    [{ prefix: '+34' }, { prefix: ['+34612', '+34613'] }, true],
    [{ prefix: ['+34', '+351'] }, { prefix: ['+34', '+33'] }, false],
    [{ prefix: '+34612' }, { prefix: '+34' }, false],
    [{ class: ['code', 'marketing'] }, { class: 'code', country: 'ES' }, true],
    [{ class: 'code', country: 'ES' }, { class: 'code' }, false],
    [{ api_key_id: 1 }, { api_key_id: 1, campaign: 2 }, true],
    [{ api_key_id: 1 }, { api_key_id: 2 }, false],
    [{ prefix: '+34' }, { country: 'ES' }, false],
  ]
  for (const [wide, narrow, hidden] of cases)
    assert.equal(
      hiddenBy([rule(wide), rule(narrow)], 1),
      hidden ? 0 : undefined,
      JSON.stringify([wide, narrow]),
    )
  assert.equal(hiddenBy([rule({}, false), rule({})], 1), undefined)
  assert.equal(hiddenBy([rule({ class: 'code' }), rule({})], 0), undefined)
})
