import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changesOf, actionText, entryText } from './entries.ts'
import { audit as words } from './text.ts'

test('changes are read as field, before and after, whatever their values are', () => {
  const changes = {
    role: { from: 'user', to: 'admin' },
    max_sms_dayly: { from: 100, to: 0 },
    send_enabled: { from: true, to: false },
    stop_words: { from: [], to: ['STOP', 'BAJA'] },
    expires_at: { from: null, to: '2026-11-20T21:32:07.000Z' },
    odd: { from: undefined, to: { a: 1 } },
  }
  assert.deepEqual(
    changesOf({ changes }).map(({ field, from, to }) => `${field}: ${from} → ${to}`),
    [
      'role: user → admin',
      'max_sms_dayly: 100 → 0',
      'send_enabled: Sí → No',
      'stop_words: ninguno → STOP, BAJA',
      'expires_at: – → 2026-11-20T21:32:07.000Z',
      'odd: – → {"a":1}',
    ],
  )
})

test('an entry that stands for several says how many, and a user without a name is shown as unknown', () => {
  const times = { from: null, to: 12 }
  assert.equal(
    entryText({ action: 'login.failed', changes: { times } }),
    'Intento de inicio de sesión fallido (12 veces)',
  )
  assert.deepEqual(changesOf({ changes: { times } }), [])
  assert.equal(
    words.nameOf({ action: 'login.failed', subject: 'user', name: null }),
    'un nombre que nadie tiene',
  )
})

test('an action without a translation is shown by its code', () => {
  assert.equal(actionText('device.limit_saved'), 'Cambió el límite diario')
  assert.equal(actionText('device.painted'), 'device.painted')
})
