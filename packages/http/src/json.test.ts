import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HttpError } from './errors.ts'
import { readJson } from './json.ts'

const taken: unknown[] = [
  null,
  0,
  'a "quoted" { [ : text \\ with \u2028 and 😀',
  [],
  {},
  { a: { a: { a: 1 } }, b: ['a', 'a', { a: 1 }, { a: 2 }], ':': ':', '': '' },
  { 'a\\': '\\', '\\"': '"', '\\\\"a': '\\\\', '"': 'a\\"', '\\\\': { 'a\\': 1 } },
  { constructor: 'Ford', prototype: true, toString: 1 },
  { list: ['constructor', { prototype: 1 }], before: { constructor: 1, after: { prototype: 1 } } },
]

for (const value of taken) {
  test(`the JSON ${JSON.stringify(value).slice(0, 60)} is read unchanged`, () => {
    assert.deepEqual(readJson(JSON.stringify(value)), value)
    assert.deepEqual(readJson(JSON.stringify(value, null, '\t')), value)
  })
}

const refused: [text: string, why: RegExp][] = [
  ['', /not valid JSON/],
  ['{', /not valid JSON/],
  ["{'a': 1}", /not valid JSON/],
  ['{"a": 1,}', /not valid JSON/],
  ['{"a": NaN}', /not valid JSON/],
  ['{"a": 1} {"b": 2}', /not valid JSON/],
  ['{"a": 1, "a": 1}', /"a" twice/],
  ['[{"b": [{"a": 1, "\\u0061" : 1}]}]', /"\\u0061" twice/],
  ['{"a": {"b": 1}, "c": "a", "a": 2}', /"a" twice/],
  ['{"__proto__": {"role": "superadmin"}}', /__proto__/],
  ['[{"a": {"\\u005f_proto__" : 1}}]', /__proto__/],
  ['{"constructor": {"prototype": {"role": 1}}}', /prototype/],
  ['{"constructor":{"a":[{}],"prototype":1}}', /prototype/],
]

for (const [text, why] of refused) {
  test(`the text ${text || '""'} is refused`, () => {
    assert.throws(
      () => readJson(text),
      (error) => error instanceof HttpError && error.code === 'malformed' && why.test(error.message),
    )
  })
}

test('JSON nests at most 32 levels deep, and a million levels do no harm', () => {
  const nested = (depth: number, open: string, close: string) =>
    open.repeat(depth) + '1' + close.repeat(depth)
  assert.ok(readJson(nested(32, '[', ']')))
  assert.ok(readJson(nested(32, '{"a":', '}')))
  for (const depth of [33, 500_000]) {
    assert.throws(() => readJson(nested(depth, '[', ']')), { code: 'malformed' })
  }
  assert.throws(() => readJson(nested(170_000, '{"a":', '}')), { code: 'malformed' })
  assert.throws(() => readJson('['.repeat(1_000_000)), { code: 'malformed' })
})
