import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { faultOfNamed, ROOT } from './named-tests.ts'

/** Each row of the page's table, with the tests it names, grouped by file. */
function readRows(): { asset: string; proofs: { file: string; names: string[] }[] }[] {
  const page = readFileSync(join(ROOT, 'docs/security.md'), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && !/^\| (asset|---)/.test(line))
  return rows.map((row) => {
    const [asset = '', , , proof = ''] = row.slice(2).split(' | ')
    const proofs = proof.split(/;\s+(?=`)/).map((part) => ({
      file: /`([^`]+)`/.exec(part)?.[1] ?? '',
      names: Array.from(part.matchAll(/"([^"]+)"/g), ([, name]) => name!),
    }))
    return { asset, proofs }
  })
}

test('every row of the security page names an existing test', () => {
  const rows = readRows()
  assert.ok(rows.length > 15, `${rows.length} rows`)
  for (const { asset, proofs } of rows) {
    assert.ok(proofs.length > 0, asset)
    for (const { file, names } of proofs) {
      assert.ok(names.length > 0, `${asset}: ${file} without a name`)
      for (const name of names) assert.equal(faultOfNamed(file, name), undefined, asset)
    }
  }
})
