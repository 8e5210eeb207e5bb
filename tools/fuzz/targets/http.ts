import assert from 'node:assert/strict'
import { routes } from '@sdd/contract/app/api.ts'
import { fieldParams } from '@sdd/contract/core/error-params.ts'
import { HttpError } from '../../../packages/http/src/errors.ts'
import { readJson } from '../../../packages/http/src/json.ts'
import { readUrlencoded } from '../../../packages/http/src/urlencoded.ts'
import { cursorId } from '../../../packages/server/src/core/paging.ts'
import { parse } from '../../../packages/server/src/core/http/request.ts'
import { type Faults, Refusal } from '../../../packages/server/src/core/refusal.ts'
import type { Target } from '../target.ts'
import { orAllowed } from './allowed.ts'

const JSON_WORDS = [
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  '"',
  '\\"',
  '\\u0041',
  '\\ud800',
  'null',
  'true',
  '-0',
  '1e9',
  '{"a":',
]
const NAMES = [
  '"__proto__":',
  '"constructor":{"prototype":',
  '"constructor":1',
  '"toString":1',
  '"valueOf":1',
  '"hasOwnProperty":1',
  '"tasks":[',
  '"guid":"a"',
  '"to_number":"+34600111222"',
]
const MOST_DEPTH = 32

/** A JSON body: plain JSON is read as by `JSON.parse`, and no member is lost. */
export const json: Target = {
  name: 'json',
  package: 'http',
  seeds: [
    '{"device_uid":"a","telefono_to":"+34600111222","mensaje_sms":"hola"}',
    '{"tasks":[{"to_number":"600","text":"a\\"b"},{"x":[[1,-2.5e3,null,true]]}]}',
    '{"a":1,"a":2}',
    '[[[[]]]]',
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{}}}',
  ],
  words: [...JSON_WORDS, ...NAMES],
  check(input) {
    const text = input.toString()
    const read = orAllowed(HttpError, () => readJson(text))
    if ('error' in read) return assert.equal(read.error.code, 'malformed')
    assert.deepEqual(read.value, JSON.parse(text))
    const names = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon !== undefined)
    assert.equal(countNames(read.value, 1), names.length, 'no name was lost')
  },
}

function countNames(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0
  assert.ok(depth <= MOST_DEPTH, 'it nests too deeply')
  assert.ok(Array.isArray(value) || !Object.hasOwn(value, '__proto__'), 'it has a __proto__')
  const within = Object.values(value).reduce<number>((sum, one) => sum + countNames(one, depth + 1), 0)
  return within + (Array.isArray(value) ? 0 : Object.keys(value).length)
}

/** A query or a form body: if well-formed, it is read as the platform reads it. */
export const pairs: Target = {
  name: 'pairs',
  package: 'http',
  seeds: [
    'username=a&password=b%20c',
    'limit=5&limit=6&search=%C3%A1+b',
    '&&=&a',
    '__proto__=1&constructor=2',
    '%zz',
  ],
  words: ['%', '%C3%A9', '%ff', '%00', '&', '=', '+', 'a=', '__proto__', 'username='],
  check(input) {
    const text = input.toString()
    const read = orAllowed(HttpError, () => readUrlencoded(text))
    if ('error' in read) return assert.equal(read.error.code, 'malformed')
    const named = Map.groupBy(new URLSearchParams(text.startsWith('?') ? `?${text}` : text), ([name]) => name)
    assert.equal(Object.keys(read.value).length, named.size)
    for (const [name, values] of named) {
      const expected = values.map(([, value]) => value)
      assert.deepEqual([Object.getOwnPropertyDescriptor(read.value, name)?.value].flat(), expected)
    }
  },
}

/** A route's input: anything is either parsed or refused by name, and a parsed value parses again to itself. */
export const route: Target = {
  name: 'route',
  package: 'server',
  seeds: routes.flatMap((_, place) => [
    Buffer.from([place, ...Buffer.from('{"id":"1","uid":"a","limit":"5","cursor":"9","guid":"g"}')]),
    Buffer.from([
      place,
      ...Buffer.from('{"to_number":"+34 600","text":"x","expires_at":"2026-01-01T00:00:00Z"}'),
    ]),
    Buffer.from([place, ...Buffer.from('{"constructor":1,"toString":1}')]),
    Buffer.from([place, ...Buffer.from('{"name":"a","email":"a@b.es","role":"user","code":"ABCDE-FGHJK"}')]),
  ]),
  words: [
    ...JSON_WORDS,
    ...NAMES,
    '"expires_at":"2026-02-30T00:00:00+01:00"',
    '"callback_url":"http://a@[::1]:99/"',
    '"tasks":[{}]',
  ],
  check(input) {
    const { params, query, body, encoding } = routes[(input[0] ?? 0) % routes.length]!
    const parts = { params, query, body }
    const written = orAllowed(SyntaxError, () => JSON.parse(input.subarray(1).toString()) as unknown)
    if ('error' in written) return
    for (const [part, schema] of Object.entries(parts)) {
      if (!schema) continue
      const read: { value?: unknown; faults?: Faults } = parse(schema, written.value, { whole: part })
      const { value, faults } = read
      for (const { why, code, params } of Object.values(faults ?? {})) {
        assert.ok(why.length > 0)
        assert.deepEqual(fieldParams[code].parse(params), params)
      }
      assert.ok(!faults || Object.keys(faults).length > 0, 'a refusal has a reason')
      if (faults || part !== 'body' || encoding !== 'json') continue
      assert.deepEqual(parse(schema, JSON.parse(JSON.stringify(value))).value, value)
    }
  },
}

/** A page cursor: only values that an answer could contain are accepted. */
export const cursor: Target = {
  name: 'cursor',
  package: 'server',
  seeds: ['1', '500', '9007199254740991', '0', '-1', '1e3', '0x10', '٣'],
  words: ['0x', 'e', '.', '-', '0', '9', ' ', 'Infinity', '\0'],
  check(input) {
    const text = input.toString()
    const read = orAllowed(Refusal, () => cursorId(text))
    if ('error' in read) assert.equal(read.error.code, 'invalid')
    else assert.equal(String(read.value), text)
  },
}
