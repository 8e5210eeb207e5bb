import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { cellsOf, type Page, TABLES, tableOf } from '../scripts/tested-clients.ts'
import { faultOfNamed, ROOT } from './named-tests.ts'

for (const page of Object.keys(TABLES) as Page[])
  test(`every row of the table of docs/${page}.md is a client that an existing test tried`, () => {
    const rows = tableOf(page)
    assert.ok(rows.length > 0)
    for (const row of rows) {
      const [, , tried, , named] = cellsOf(row)
      const [, file, name] = /^`([^`]+)` "(.+)"$/.exec(named!)!
      assert.equal(faultOfNamed(file!, name!), undefined, row)
      assert.ok(readFileSync(join(ROOT, file!), 'utf8').includes(`'${tried!}'`), row)
    }
  })
