import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAmount } from './balance-pattern.ts'

test('the amount is read from an answer that contains the pattern', () => {
  for (const [pattern, answer, amount] of [
    ['Saldo: {amount}', 'Hola. Su saldo: 12,50 EUR hasta el 30.06.', 12.5],
    ['SALDO {amount} EUR', 'saldo\n3.07\u00a0eur', 3.07],
    ['{amount} EUR', 'Bono 7, saldo 0 EUR', 0],
    ['saldo*{amount}*EUR', 'Saldo disponible: 112.5 €, (EUR)', 112.5],
    ['saldo (neto): {amount}', 'Saldo (neto): -1,2.', -1.2],
    ['{amount}', '5', 5],
    ['bono * saldo {amount}', 'Bono 10 GB. Saldo 2', 2],
  ] as const)
    assert.equal(readAmount(pattern, answer), amount, pattern)
})

test('an answer without the pattern has no amount', () => {
  for (const [pattern, answer] of [
    ['Saldo: {amount}', 'Saldo: no disponible'],
    ['{amount} EUR', 'Saldo 5 USD'],
    ['Saldo {amount}', 'Saldo 1.234,50'],
    ['x*{amount}', '5 x'],
    ['a.b {amount}', 'axb 5'],
  ] as const)
    assert.equal(readAmount(pattern, answer), undefined, pattern)
})

test('a pattern of many pieces is read fast', () => {
  const began = performance.now()
  assert.equal(readAmount('*a'.repeat(90) + '{amount}', 'a'.repeat(16_384)), undefined)
  assert.ok(performance.now() - began < 1_000)
})
