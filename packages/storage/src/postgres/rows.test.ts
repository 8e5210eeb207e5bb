import assert from 'node:assert/strict'
import test from 'node:test'
import { openRowWrites } from './rows.ts'

type Sent = { text: string; rows: unknown }

function open() {
  const sent: Sent[] = []
  const names = new Set<string>()
  const writes = openRowWrites((text, [json], name) => {
    sent.push({ text: text.replace(/ (from )?json.*/, ''), rows: JSON.parse(String(json)) })
    names.add(`${name} ${text}`)
  })
  return { writes, sent, names }
}

test('rows with the same changed columns are changed by one statement, in the order of their keys', () => {
  const { writes, sent } = open()
  writes.set('things', { id: 10 }, { state: 'sent' })
  writes.set('things', { id: 9 }, { state: 'handed' })
  writes.set('things', { id: 11 }, { state: 'sent', step: 'finished' })
  assert.deepEqual(sent, [])
  writes.send()
  writes.send()
  assert.deepEqual(sent, [
    {
      text: 'update things set state = row.state',
      rows: [
        { id: 9, state: 'handed' },
        { id: 10, state: 'sent' },
      ],
    },
    {
      text: 'update things set state = row.state, step = row.step',
      rows: [{ id: 11, state: 'sent', step: 'finished' }],
    },
  ])
})

test('a row that is changed twice has its last values, and null is what PostgreSQL takes a missing one for', () => {
  const { writes, sent } = open()
  writes.set('shelves', { id: 1 }, { status: 'full', note: 'a' })
  writes.set('shelves', { id: 1 }, { note: null })
  writes.put('owners', { group_id: 1, number: '6' }, { owner_id: 1 })
  writes.put('owners', { group_id: 1, number: '6' }, { owner_id: 2 })
  writes.send()
  assert.deepEqual(
    sent.map(({ rows }) => rows),
    [[{ group_id: 1, number: '6', owner_id: 2 }], [{ id: 1, status: 'full' }]],
  )
  assert.equal(sent[1]!.text, 'update shelves set status = row.status, note = row.note')
})

test('rows are inserted in order, with texts that PostgreSQL can store', () => {
  const { writes, sent } = open()
  writes.insert('things', ['guid', 'message'], [{ guid: 'b', message: 'a\0b \ud800' }])
  writes.insert('things', ['guid', 'message'], [{ guid: 'a', message: '"' }])
  writes.send()
  assert.deepEqual(sent[0]!.rows, [
    { guid: 'b', message: 'a\ufffdb \ufffd' },
    { guid: 'a', message: '"' },
  ])
})

test('an inserted row is as it was then, even if its object changes before it is sent', () => {
  const { writes, sent } = open()
  const row = { id: 1, state: 'queued' }
  writes.insert('things', ['id', 'state'], [row])
  row.state = 'sent'
  writes.send()
  assert.deepEqual(sent[0]!.rows, [{ id: 1, state: 'queued' }])
})

test('a statement inserts at most 1,000 rows', () => {
  const { writes, sent } = open()
  const rows = Array.from({ length: 1_600 }, (_, id) => ({ id }))
  writes.insert('things', ['id'], rows.slice(0, 300))
  writes.insert('things', ['id'], rows.slice(300))
  writes.send()
  assert.deepEqual(
    sent.map((each) => (each.rows as unknown[]).length),
    [300, 1_000, 300],
  )
  assert.deepEqual(
    sent.flatMap((each) => each.rows),
    rows,
  )
})

test('rows of one table are deleted by one statement, while other tables get theirs', () => {
  const { writes, sent } = open()
  for (const id of [2, 1]) {
    writes.delete('waiting', { id })
    writes.insert('done', ['id'], [{ id }])
  }
  assert.deepEqual(sent, [])
  writes.send()
  assert.deepEqual(sent, [
    { text: 'insert into done (id) select id', rows: [{ id: 2 }, { id: 1 }] },
    { text: 'delete from waiting using', rows: [{ id: 1 }, { id: 2 }] },
  ])
})

test('a row is changed and deleted after its insertion, and inserted again after its deletion', () => {
  const { writes, sent } = open()
  writes.insert('other', ['id'], [{ id: 1 }])
  writes.insert('things', ['id'], [{ id: 2 }])
  writes.insert('things', ['id'], [{ id: 1 }])
  writes.set('things', { id: 1 }, { state: 'sent' })
  writes.delete('things', { id: 1 })
  writes.delete('things', { id: 2 })
  writes.insert('things', ['id'], [{ id: 1 }])
  writes.set('things', { id: 1 }, { state: 'handed' })
  writes.send()
  assert.deepEqual(
    sent.map(({ text, rows }) => [text.split(' (')[0], rows]),
    [
      ['insert into other', [{ id: 1 }]],
      ['insert into things', [{ id: 2 }, { id: 1 }]],
      ['update things set state = row.state', [{ id: 1, state: 'sent' }]],
      ['delete from things using', [{ id: 1 }, { id: 2 }]],
      ['insert into things', [{ id: 1 }]],
      ['update things set state = row.state', [{ id: 1, state: 'handed' }]],
    ],
  )
})

test('changes of a write that is rolled back are not sent, and each text has one name', () => {
  const { writes, sent, names } = open()
  writes.set('things', { id: 1 }, { state: 'sent' })
  writes.clear()
  for (const id of [1, 2]) {
    writes.set('things', { id }, { error: null })
    writes.send()
  }
  assert.equal(sent.length, 2)
  assert.equal(names.size, 1)
})
