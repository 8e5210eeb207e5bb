import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { faultOfNamed, ROOT } from './named-tests.ts'

test('every row of the table of clients names an existing test', () => {
  const page = readFileSync(join(ROOT, 'docs/doors.md'), 'utf8')
  const rows = page.split('## Tested clients')[1]!.match(/^\| (?!door|---).+$/gm) ?? []
  assert.ok(rows.length > 0)
  for (const row of rows) {
    if (row.includes('| by hand on ')) continue
    const [, file = '', name = ''] = /`([^`]+)` "([^"]+)"/.exec(row) ?? []
    assert.equal(faultOfNamed(file, name), undefined, row)
  }
})
