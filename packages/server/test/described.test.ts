import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '@sdd/contract/app/api.ts'
import { sendSms } from '@sdd/contract/messages/messages.ts'
import { readMessage } from '@sdd/contract/insight/log.ts'
import { openapiDocument } from '@sdd/contract/app/openapi.ts'
import type { Route, Schema } from '@sdd/contract/core/route.ts'
import { createTasks, Task } from '@sdd/contract/tasks/tasks.ts'
import { openDescription } from './described.ts'
import { fieldsOf, sampleOf } from './samples.ts'

/** The API description accepts and refuses the same values as the server's schemas, field by field. */

const document = JSON.parse(JSON.stringify(openapiDocument(routes))) as object
const description = openDescription(document)

/** Values of each kind: some are valid in some field, others are invalid almost everywhere. */
const CANDIDATES: readonly unknown[] = [
  '',
  ' ',
  ' a ',
  'á€',
  'a\0b',
  '\t+34 (600) 11.12-13 ',
  '+34 600 111 222',
  '[+]34600111222',
  '+12345',
  '+123456789012345',
  '+1234567890123456',
  '11',
  '112',
  '600‐111‑222',
  '+34 600 111 22a',
  'ana@example.com',
  ' ana@example.com\n',
  'ana@@example.com',
  'a b@c',
  ...[1, 2, 63, 64, 65, 99, 100, 101, 253, 254, 255, 1_024, 1_025, 2_001].map((n) => 'x'.repeat(n)),
  ` ${'x'.repeat(100)} `,
  ` ${'x'.repeat(64)} `,
  `${'x'.repeat(64)}@x`,
  'http://example.com',
  'HTTPS://example.com:8443/a?b#c',
  'https://[::1]/',
  ' https://example.com',
  'https:/example.com',
  'https:example.com',
  'https://ana@example.com/',
  'https://ana:secret@example.com/',
  'https://example.com/@ana',
  'ftp://example.com/',
  '2026-01-31T09:30:00Z',
  '2026-01-31T09:30:00.123456+02:00',
  '2026-02-31T09:30:00Z',
  '2026-01-31',
  'true',
  '0',
  '1',
  '007',
  '1000',
  '1001',
  '99999999999999999',
  'no!',
  '-._:',
  0,
  1,
  -1,
  1.5,
  7,
  10_000,
  100_000,
  100_001,
  2_147_483_648,
  true,
  null,
  [],
  ['STOP'],
  [''],
  ['tasks:read'],
  ['task.sent', 'task.sent'],
  {},
]

/** Whether the schema accepts the value as this part of a request. Queries are texts. */
function takes(schema: Schema, value: unknown): boolean {
  return schema.safeParse(value).success
}

function disagreements(route: Route, part: 'query' | 'body'): string[] {
  const schema = route[part]
  if (schema === undefined) return []
  const whole = sampleOf(schema, () => undefined, { all: true }) as Record<string, unknown>
  assert.ok(takes(schema, whole), `${route.path}: the sample is good`)
  const fields = fieldsOf(schema)
  const changed = [
    whole,
    { ...whole, unheard_of: 1 },
    ...fields.map(({ name }) => Object.fromEntries(Object.entries(whole).filter(([each]) => each !== name))),
    ...fields.flatMap(({ name }) =>
      CANDIDATES.filter((value) => part === 'body' || typeof value === 'string').map((value) => ({
        ...whole,
        [name]: value,
      })),
    ),
  ]
  return changed.flatMap((value) => {
    const faults = description.faultsOfRequest(route, { body: route.body && whole, query: {}, [part]: value })
    if (part === 'query' && route.body)
      faults.splice(0, faults.length, ...faults.filter((why) => why.startsWith('?')))
    if ((faults.length === 0) === takes(schema, value)) return []
    const difference = JSON.stringify(value).slice(0, 400)
    return [
      `${route.method} ${route.path}: ${takes(schema, value) ? `refuses ${faults.join(', ')}` : 'allows'} ${difference}`,
    ]
  })
}

for (const part of ['query', 'body'] as const) {
  test(`the description of each ${part} accepts and refuses the same values as the server’s schema`, () => {
    assert.deepEqual(
      routes.flatMap((route) => disagreements(route, part)),
      [],
    )
  })
}

test('the description accepts numbers as people write them', () => {
  const text = 'hola'
  for (const number of ['+34 600 111 222', '(600) 11-12-13', '600.111.222', '+34 [600] 111222', '112']) {
    const sms = { device_uid: 'd', telefono_to: number, mensaje_sms: text }
    assert.deepEqual(description.faultsOfRequest(sendSms, { body: sms }), [], number)
    const task = { to_number: number, text, from_number: number }
    assert.deepEqual(description.faultsOfRequest(createTasks, { body: task }), [], number)
  }
  for (const number of ['', '11', '+34', '600111222x', '+12345678901234567', '34+600111222'])
    assert.notDeepEqual(description.faultsOfRequest(createTasks, { body: { to_number: number, text } }), [])
})

test('the record of a message is described with its fields by name, and attempts by a pattern', () => {
  const { paths } = document as { paths: Record<string, Record<string, { responses: Responses }>> }
  const operation = paths[readMessage.path.replace(':guid', '{guid}')]!.get!
  const { properties, patternProperties, required } =
    operation.responses['200']!.content['application/json']!.schema
  for (const name of Object.keys(Task.shape)) assert.ok(name in properties, name)
  for (const name of ['task_state', 'queued_by', 'callback_url', 'notes', 'parts'])
    assert.ok(name in properties, name)
  assert.ok(required.includes('queued_by') && !required.includes('task_state'))
  assert.deepEqual(Object.values(patternProperties), [{ type: 'string' }])
  assert.match('attempt_12', new RegExp(Object.keys(patternProperties)[0]!))
})

type Responses = Record<
  string,
  {
    content: Record<string, { schema: { properties: object; patternProperties: object; required: string[] } }>
  }
>
