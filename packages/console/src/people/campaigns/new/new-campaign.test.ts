import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Campaign } from '@sdd/contract/people/campaigns.ts'
import { newlyOut, lastingOf } from './counts.ts'
import { bodyOf, emptyDraft, faultsOf, type DraftFields } from './draft.ts'
import { nextRows, plainText, planFault, rowOf, type UploadPlan } from './rows.ts'
import { drawSample, localSamples, piecesOf } from './sample.ts'
import { openSaver, type SaveState } from './saver.ts'
import { openUploader, type UploadState } from './uploader.ts'

const NOW = Date.parse('2026-06-10T08:00:00Z')
const complete: DraftFields = {
  ...emptyDraft,
  name: ' Citas ',
  text: 'Hola {{name}}',
  class: 'transactional',
}

function planOf(rows: string[][], choices: string[], more: Partial<UploadPlan> = {}): UploadPlan {
  const lines = rows.map((cells, n) => ({ line: n + 2, cells }))
  return { rows: lines, choices, corrections: new Map(), plain: false, ...more }
}

test('a draft is saved once it has a name, a text and a class, and each fault is told by its field', () => {
  assert.deepEqual(faultsOf(emptyDraft, NOW), { name: 'required', text: 'required', class: 'required' })
  assert.equal(bodyOf({ ...complete, class: '' }), undefined)
  assert.deepEqual(bodyOf(complete, NOW), {
    name: 'Citas',
    text: 'Hola {{name}}',
    class: 'transactional',
    lists: [],
    via: null,
    not_before: null,
    expires_at: null,
  })
  assert.deepEqual(faultsOf({ ...complete, text: 'Hola {{name' }, NOW).text, {
    why: 'not_closed',
    near: '{{name',
  })
  assert.equal(faultsOf({ ...complete, text: 'x'.repeat(2_001) }, NOW).text, 'too_long')
  assert.equal(faultsOf({ ...complete, expires_at: '2026-06-09T10:00' }, NOW).expires_at, 'passed')
  const late = { ...complete, not_before: '2026-06-12T10:00', expires_at: '2026-06-11T10:00' }
  assert.equal(faultsOf(late, NOW).expires_at, 'before_start')
})

test('a row gives its number, fields and time, a correction replaces it, and its data can be plain', () => {
  const plan = planOf(
    [['600 111 222', 'Lucía', '03/12/2026 9:05', 'Núñez', '']],
    ['number', 'name', 'at', 'field:apellido', 'field:nota'],
  )
  const at = new Date(2026, 11, 3, 9, 5).toISOString()
  assert.deepEqual(rowOf(plan, 1), {
    number: '600 111 222',
    fields: { name: 'Lucía', apellido: 'Núñez' },
    at,
  })
  assert.deepEqual(rowOf({ ...plan, plain: true }, 1).fields, { name: 'Lucia', apellido: 'Nuñez' })
  const corrected = { number: '600111333', fields: { name: 'Ana' }, at: null }
  assert.deepEqual(rowOf({ ...plan, corrections: new Map([[1, corrected]]) }, 1), corrected)
  const unclear = planOf([['600111222', '31/02/2026']], ['number', 'at'])
  assert.equal(rowOf(unclear, 1).at, '31/02/2026', 'the server tells that it is no time')
})

test('only letters that GSM-7 lacks lose their accent', () => {
  assert.equal(plainText('áíóúÁÍÓÚâêçÇëï éèùìòñÑäöüåÉ'), 'aiouAIOUaecÇei éèùìòñÑäöüåÉ')
  assert.equal(plainText('ãõşůŽ a\u0301e\u0301'), 'aosuZ aé')
  assert.equal(plainText('Ωб😀ø€'), 'Ωб😀ø€', 'letters without an accent stay')
})

test('a table that cannot be uploaded is refused with its reason', () => {
  assert.equal(planFault(planOf([['x']], ['field:a']), 30), 'no_number')
  const one = planOf([['600111222']], ['number'])
  const many = Array<UploadPlan['rows'][number]>(200_001).fill(one.rows[0]!)
  assert.equal(planFault({ ...one, rows: many }, 30), 'too_many_rows')
  const wide = ['number', ...Array.from({ length: 31 }, (_, n) => `field:f${n}`)]
  assert.equal(planFault(planOf([['600111222']], wide), 30), 'too_many_fields')
  assert.equal(planFault(planOf([['600111222']], ['number', 'name']), 30), undefined)
})

test('a call has at most 5,000 rows and 8 MiB', async () => {
  const short = planOf(
    Array.from({ length: 5_001 }, () => ['600111222']),
    ['number'],
  )
  assert.equal((await nextRows(short, 0)).length, 5_000)
  assert.equal((await nextRows(short, 5_000)).length, 1)
  const cells = ['600111222', ...Array<string>(20).fill('ñ'.repeat(200))]
  const long = planOf(Array<string[]>(1_300).fill(cells), [
    'number',
    ...Array.from({ length: 20 }, (_, n) => `field:f${n}`),
  ])
  const batch = await nextRows(long, 0)
  assert.ok(batch.length < 1_300 && JSON.stringify(batch).length < 8 * 1024 * 1024)
})

test('the text is drawn with the values of a row, or says which field it lacks', () => {
  const [sample] = localSamples(planOf([['600111222', 'Íñigo']], ['number', 'name']), 1, 3)
  const drawn = drawSample(piecesOf('Hola {{name}}')!, sample!)
  assert.ok(drawn.missing === undefined)
  assert.deepEqual(drawn.pieces, ['Hola ', { value: 'Íñigo' }])
  assert.deepEqual([drawn.measure.encoding, drawn.letters], ['ucs2', ['Í']])
  assert.deepEqual(drawSample(piecesOf('{{hora}}')!, sample!), { missing: 'hora' })
  assert.deepEqual(drawSample(piecesOf('{{constructor}}')!, sample!), { missing: 'constructor' })
  assert.equal(piecesOf('Hola {{na'), undefined)
})

test('groups that have grown are named, and durations are whole minutes', () => {
  const counts = {
    sendable: 9,
    invalid: 1,
    repeated: 0,
    opted_out: 0,
    without_consent: 0,
    over_recipient_cap: 0,
  }
  assert.deepEqual(newlyOut(counts, { ...counts, sendable: 8, opted_out: 1 }), [['opted_out', 1]])
  assert.deepEqual(lastingOf(4 * 3_600_000 + 55.2 * 60_000), [0, 4, 56])
  assert.deepEqual(lastingOf(0), [0, 0, 1])
})

test('an upload is sent in order, and continues with the call that failed', async () => {
  const sent: [first: number, rows: number, last: boolean, of: number][] = []
  let fails = true
  const uploads = states<UploadState>()
  const uploader = openUploader({
    pause_ms: 0,
    show: uploads.note,
    async send(_, { first_row, rows, last, of }) {
      if (first_row > 5_000 && fails) throw new Error('cut off')
      sent.push([first_row, rows.length, last, of])
    },
  })
  const rows = Array.from({ length: 5_002 }, () => ['600111222'])
  uploader.give(planOf(rows, ['number']))
  assert.equal(uploads.latest()?.phase, 'waiting', 'there is no draft yet')
  uploader.attach(1)
  const broken = await uploads.when(({ phase }) => phase === 'broken')
  assert.deepEqual([broken.done, broken.total], [5_000, 5_002])
  fails = false
  uploader.resume()
  await uploads.when(({ phase }) => phase === 'done')
  assert.deepEqual(sent, [
    [1, 5_000, false, 5_002],
    [5_001, 2, true, 5_002],
  ])
})

test('another mapping ends the upload that runs, and begins only when its call has its answer', async () => {
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const calls: string[] = []
  const uploads = states<UploadState>()
  const uploader = openUploader({
    pause_ms: 0,
    show: uploads.note,
    async send(_, { rows }) {
      const fields = Object.keys(rows[0]!.fields ?? {}).join()
      calls.push(`${fields} begins`)
      begun.resolve()
      if (fields === 'a') await held.promise
      calls.push(`${fields} ends`)
    },
  })
  uploader.attach(1)
  uploader.give(
    planOf(
      Array.from({ length: 6_000 }, () => ['600111222', 'x']),
      ['number', 'field:a'],
    ),
  )
  await begun.promise
  uploader.give(planOf([['600111222', 'x']], ['number', 'field:b']))
  held.resolve()
  await uploads.when(({ phase }) => phase === 'done')
  assert.deepEqual(calls, ['a begins', 'a ends', 'b begins', 'b ends'])
})

test('a draft is created once, changes made meanwhile follow, and a failure keeps it', async () => {
  const puts: [id: number | undefined, name: string][] = []
  const kept: string[] = []
  const held = Promise.withResolvers<void>()
  let fails = false
  const saves = states<SaveState>()
  const saver = openSaver({
    pause_ms: 0,
    campaign: undefined,
    show: saves.note,
    keep: (id, draft) => void kept.push(`${id ?? 'new'} ${draft?.name ?? 'forgotten'}`),
    created: (id) => void kept.push(`created ${id}`),
    remove: () => undefined,
    async put(id, { name }) {
      puts.push([id, name])
      if (fails) throw new Error('no answer')
      await held.promise
      return { id: 7 } as Campaign
    },
  })
  saver.edit({ ...complete, class: '' })
  assert.equal(saves.latest()?.phase, 'unready')
  saver.edit({ ...complete, name: 'One' })
  await saves.when(({ phase }) => phase === 'saving')
  saver.edit({ ...complete, name: 'Two' })
  held.resolve()
  await saves.when(({ phase }) => phase === 'saved')
  assert.deepEqual(puts, [
    [undefined, 'One'],
    [7, 'Two'],
  ])
  assert.deepEqual(kept.slice(-1), ['7 forgotten'])
  assert.equal(kept.filter((one) => one === 'created 7').length, 1)
  fails = true
  saver.edit({ ...complete, name: 'Three' })
  await saves.when(({ phase }) => phase === 'failed')
  assert.deepEqual(kept.slice(-1), ['7 Three'])
  fails = false
  saver.save()
  await saves.when(({ phase }) => phase === 'saved')
  assert.deepEqual(puts.at(-1), [7, 'Three'])
})

test('a change that cannot be saved, made while its draft is created, is kept with the draft', async () => {
  const kept = new Map<number | undefined, string | undefined>()
  const held = Promise.withResolvers<void>()
  const saves = states<SaveState>()
  const saver = openSaver({
    pause_ms: 0,
    campaign: undefined,
    show: saves.note,
    keep: (id, draft) => void kept.set(id, draft?.text),
    created: () => undefined,
    remove: () => undefined,
    async put() {
      await held.promise
      return { id: 7 } as Campaign
    },
  })
  saver.edit(complete)
  await saves.when(({ phase }) => phase === 'saving')
  saver.edit({ ...complete, text: 'Hola {{na' })
  held.resolve()
  await saves.when(({ id }) => id === 7)
  assert.deepEqual(
    [...kept],
    [
      [undefined, undefined],
      [7, 'Hola {{na'],
    ],
  )
})

test('a draft that is dropped while the server creates it is removed, and not shown', async () => {
  const held = Promise.withResolvers<void>()
  const outcome = Promise.withResolvers<string>()
  const saves = states<SaveState>()
  const saver = openSaver({
    pause_ms: 0,
    campaign: undefined,
    show: saves.note,
    keep: () => undefined,
    created: (id) => outcome.resolve(`created ${id}`),
    remove: (id) => outcome.resolve(`removed ${id}`),
    async put() {
      await held.promise
      return { id: 7 } as Campaign
    },
  })
  saver.edit(complete)
  await saves.when(({ phase }) => phase === 'saving')
  saver.drop()
  held.resolve()
  assert.equal(await outcome.promise, 'removed 7')
})

/** The states that were shown, to wait for one. */
function states<State>() {
  let latest: State | undefined
  let waiting: { wanted: (state: State) => boolean; found: (state: State) => void } | undefined
  return {
    latest: () => latest,
    note(state: State): void {
      latest = state
      if (waiting?.wanted(state)) waiting.found(state)
    },
    when(wanted: (state: State) => boolean): Promise<State> {
      return new Promise((found) => {
        waiting = { wanted, found }
        if (latest !== undefined && wanted(latest)) found(latest)
      })
    },
  }
}
