import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewOrder } from '@sdd/contract/fleet/orders.ts'
import { Refusal } from '#server/core/refusal.ts'
import { readDetails } from './details.ts'

function refused(order: Pick<NewOrder, 'what' | 'with' | 'confirm'>): [string, string][] {
  try {
    readDetails(order)
  } catch (error) {
    assert.ok(error instanceof Refusal)
    return Object.entries(error.field_codes ?? {}).map(([field, { code }]) => [field, code])
  }
  return []
}

test('a code that only asks needs no confirmation, and any other needs the same text again', () => {
  for (const code of ['*100#', '*#100#', '*1#'])
    assert.deepEqual(readDetails({ what: 'ussd', with: { code } }), { code })
  for (const code of ['*100*5*600111222#', '*100', '100', '**21*600111222#', '##002#', '*100##', '*+34#']) {
    assert.deepEqual(refused({ what: 'ussd', with: { code } }), [['confirm', 'confirm_required']], code)
    assert.deepEqual(refused({ what: 'ussd', with: { code }, confirm: `${code}#` }), [
      ['confirm', 'confirm_required'],
    ])
    assert.deepEqual(readDetails({ what: 'ussd', with: { code }, confirm: code }), { code })
  }
})

test('an order with details that it does not take is refused by their field', () => {
  const wrong: [Pick<NewOrder, 'what' | 'with'>, string][] = [
    [{ what: 'ussd' }, 'with.code'],
    [{ what: 'ussd', with: { code: '' } }, 'with.code'],
    [{ what: 'ussd', with: { code: '*1a#' } }, 'with.code'],
    [{ what: 'ussd', with: { code: `*${'1'.repeat(99)}#` } }, 'with.code'],
    [{ what: 'ussd', with: { code: '*1#', sim: 1 } }, 'with.sim'],
    [{ what: 'logs', with: { lines: 0 } }, 'with.lines'],
    [{ what: 'logs', with: { lines: 1_001 } }, 'with.lines'],
    [{ what: 'configure' }, 'with.settings'],
    [{ what: 'configure', with: { settings: { text: 'x'.repeat(4_096) } } }, 'with.settings'],
    [{ what: 'doctor', with: {} }, 'with'],
    [{ what: 'restart_radio', with: { now: true } }, 'with'],
  ]
  for (const [order, field] of wrong)
    assert.deepEqual(
      refused(order).map(([name]) => name),
      [field],
    )
  assert.deepEqual(readDetails({ what: 'logs' }), { lines: 200 })
  assert.deepEqual(readDetails({ what: 'configure', with: { settings: { a: 1 } } }), { settings: { a: 1 } })
  assert.equal(readDetails({ what: 'doctor' }), undefined)
})
