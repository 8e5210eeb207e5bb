import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'

const root = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

type Manifest = Partial<
  Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string>>
>

const records = globSync('docs/decisions/[0-9]*.md', { cwd: root }).sort()

for (const path of globSync(['package.json', 'packages/*/package.json'], { cwd: root })) {
  test(`each dependency of ${path} is named in a decision record`, () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read(path)) as Manifest
    const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
    const all = records.map(read).join('\n')
    // Our own packages do not count as dependencies, and types belong to the package they describe (0001).
    const needing = names.filter((name) => !/^@(sdd|types)\//.test(name))
    assert.deepEqual(
      needing.filter((name) => !all.includes(`\`${name}\``)),
      [],
    )
  })
}

test('decision records are numbered without gaps or repeats', () => {
  const numbers = records.map((path) => Number(/(\d{4})-[a-z0-9-]+\.md$/.exec(path)?.[1]))
  assert.deepEqual(
    numbers,
    records.map((_, index) => index + 1),
  )
})

for (const path of records) {
  test(`${path} has a status, context, decision and consequences, in at most 40 lines`, () => {
    const text = read(path)
    assert.match(text, /^# \d+\. .+\n\nStatus: .+\n\n## Context\n[^]+\n## Decision\n[^]+\n## Consequences\n/)
    assert.ok(text.trimEnd().split('\n').length <= 40)
  })
}
