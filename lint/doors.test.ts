import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { faultOfNamed, ROOT } from './named-tests.ts'

for (const [path, heading] of [
  ['docs/doors.md', '## Tested clients'],
  ['docs/integrations.md', '## Tested programs'],
] as const)
  test(`every row of the table of ${path} names an existing test`, () => {
    const page = readFileSync(join(ROOT, path), 'utf8')
    const rows = page.split(heading)[1]!.match(/^\| (?!door|program|---).+$/gm) ?? []
    assert.ok(rows.length > 0)
    for (const row of rows) {
      const named = Array.from(row.matchAll(/`([^`]+\.test\.ts)` "([^"]+)"/g))
      assert.ok(named.length > 0, row)
      for (const [, file, name] of named) assert.equal(faultOfNamed(file!, name!), undefined, row)
    }
  })
