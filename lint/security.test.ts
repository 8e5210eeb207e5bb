import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')

/** Each row of the page's table, with the tests that it names by file. */
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

/** The names of a file's tests as they are written, with `${…}` for what a test fills in. */
function testsIn(file: string): string[] {
  const source = readFileSync(join(ROOT, file), 'utf8')
  return Array.from(source.matchAll(/\btest\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs), ([, , name]) => name!)
}

test('every row of the security page names a test that is there', () => {
  const rows = readRows()
  assert.ok(rows.length > 15, `${rows.length} rows`)
  for (const { asset, proofs } of rows) {
    assert.ok(proofs.length > 0, asset)
    for (const { file, names } of proofs) {
      assert.ok(existsSync(join(ROOT, file)) && file !== '', `${asset}: there is no ${file}`)
      const tests = testsIn(file)
      assert.ok(names.length > 0, `${asset}: ${file} without a name`)
      for (const name of names) {
        const parts = name.split('…').map((part) => part.trim())
        const found = tests.some((written) => parts.every((part) => written.includes(part)))
        assert.ok(found, `${asset}: ${file} has no test "${name}"`)
      }
    }
  }
})
