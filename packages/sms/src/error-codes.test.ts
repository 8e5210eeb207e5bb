import assert from 'node:assert/strict'
import { test } from 'node:test'
import vectors from '#vectors/error-codes.json' with { type: 'json' }
import { cmeError, cmsError, type CmsKind } from './error-codes.ts'

/** How each action proposed by the vectors begins, and the kind that leads to it. */
const KINDS: [begins: string, kind: string][] = [
  ['unknown outcome', 'unknown_outcome'],
  ['UNKNOWN outcome', 'unknown_outcome'],
  ['give up on this message after one retry', 'once_more'],
  ['give up', 'permanent'],
  ['retry later', 'transient'],
  ['free memory', 'memory_full'],
  ['fix set-up: SMSC missing', 'no_smsc'],
  ['restart the modem', 'restart'],
  ['stop this SIM', 'sim'],
  ['wait and repeat', 'wait'],
  ['log', 'refused'],
]

/**
 * The row that ends gammu's table, without a text. No modem sends this code. Below it is a code missing from every
 * list.
 */
const END_OF_TABLE = 'cms--1'

for (const { id, kind, code, text, action } of vectors.cases.filter((c) => c.id !== END_OF_TABLE)) {
  test(`${kind} ${code}, ${text}: ${action} (${id})`, () => {
    const error = kind === 'CMS' ? cmsError(code) : cmeError(code)
    assert.equal(error.kind, KINDS.find(([begins]) => action.startsWith(begins))?.[1])
    const unlisted = kind === 'CMS' ? [cmsError(2), cmsError(200), cmsError(400)] : [cmeError(9999)]
    assert.ok(!unlisted.some(({ sentence }) => sentence === error.sentence), 'a sentence of its own')
    assert.match(error.sentence, /^[A-Z][^\n]{8,90}[^.]$/)
  })
}

test('a message whose error leaves the outcome open is never sent again', () => {
  for (const code of [500, 350, 332]) assert.equal(cmsError(code).kind, 'unknown_outcome')
})

test('an unlisted code has an unknown outcome, unless the network refused', () => {
  const kinds: [code: number, kind: CmsKind][] = [
    [2, 'transient'],
    [126, 'transient'],
    [200, 'once_more'],
    [299, 'unknown_outcome'],
    [400, 'unknown_outcome'],
    [4711, 'unknown_outcome'],
    [0, 'unknown_outcome'],
    [vectors.cases.find((c) => c.id === END_OF_TABLE)!.code, 'unknown_outcome'],
    [NaN, 'unknown_outcome'],
  ]
  for (const [code, kind] of kinds) assert.equal(cmsError(code).kind, kind, String(code))
  assert.equal(cmeError(9999).kind, 'refused')
})
