import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { faultOfNamed, ROOT } from './named-tests.ts'

/** The number of level 1 and 2 requirements in each chapter of ASVS 5.0, V1 to V16. */
const IN_CHAPTER = [27, 11, 19, 10, 9, 35, 18, 7, 7, 29, 14, 9, 13, 9, 13, 16]

const page = readFileSync(join(ROOT, 'docs/asvs.md'), 'utf8')
const rows = page
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) => {
    const [ids = '', , state = '', ...shown] = line.slice(2, -2).split(' | ')
    return { ids: ids.split(', '), state, shown: shown.join(' | ') }
  })

test('the table has every requirement of levels 1 and 2 once', () => {
  const ids = rows.flatMap((row) => row.ids)
  for (const id of ids) assert.match(id, /^\d{1,2}\.\d{1,2}\.\d{1,2}$/)
  assert.deepEqual(new Set(ids).size, ids.length)
  const counts = IN_CHAPTER.map((_, chapter) => ids.filter((id) => id.startsWith(`${chapter + 1}.`)).length)
  assert.deepEqual(counts, IN_CHAPTER)
})

test('the counts on the page match its rows', () => {
  const count = (wanted: string) =>
    rows.filter(({ state }) => state === wanted).reduce((sum, { ids }) => sum + ids.length, 0)
  const [met, off, not] = [count('met'), count('not applicable'), count('not met')]
  assert.equal(met + off + not, rows.flatMap(({ ids }) => ids).length, 'each has one of the three states')
  const said = `Of ${met + off + not} requirements ${met} are met, ${off} are not applicable, ${not} are not met.`
  assert.ok(page.includes(said), said)
})

test('every row marked as met names an existing test or page, and no row names a missing one', () => {
  for (const { ids, state, shown } of rows) {
    const where = ids.join(', ')
    assert.ok(shown.length > 10, where)
    const named = Array.from(shown.matchAll(/`([\w./-]+\.test\.ts)` ((?:"[^"]+"(?:, )?)+)/g))
    for (const [, file, names] of named)
      for (const [, name] of names!.matchAll(/"([^"]+)"/g))
        assert.equal(faultOfNamed(file!, name!), undefined, where)
    for (const [, file] of shown.matchAll(/`((?:[\w-]+\/)+[\w.-]+\.(?:md|ts))`/g))
      assert.ok(existsSync(join(ROOT, file!)), `${where}: there is no ${file}`)
    if (state === 'met') assert.ok(named.length > 0, `${where} is met by no test`)
  }
})
