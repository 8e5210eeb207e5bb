import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { importedIn } from './areas.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

type Manifest = { name?: string } & Partial<
  Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string>>
>
const manifestOf = (path: string) => JSON.parse(read(path)) as Manifest

const records = globSync('docs/decisions/[0-9]*.md', { cwd: root }).sort()

for (const path of globSync(['package.json', 'packages/*/package.json'], { cwd: root })) {
  test(`each dependency of ${path} is named in a decision record`, () => {
    const { dependencies, devDependencies, optionalDependencies } = manifestOf(path)
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

/**
 * The bundle has only the codec of `@sdd/mqtt`. As a dependency, it would bring the libraries of its endpoint into the
 * list of licences.
 */
const BUNDLED = 'packages/console/src/core/live/connection.ts @sdd/mqtt'

// npm puts all packages into one folder, so an import works without a declaration.
for (const folder of globSync('packages/*', { cwd: root })) {
  test(`${folder} declares the packages that it imports`, () => {
    const files = globSync(`${folder}/{,{src,scripts,test}/**/}*.{ts,tsx}`, { cwd: root })
    const [own, all] = [manifestOf(`${folder}/package.json`), manifestOf('package.json')]
    const found = files.flatMap((file) =>
      undeclared(file, read(file), own, all).map((name) => `${file} ${name}`),
    )
    assert.deepEqual(
      found.filter((place) => place !== BUNDLED),
      [],
    )
  })
}

test('only tests, scripts and settings may import development dependencies, those of the root too', () => {
  const own = { name: '@sdd/a', dependencies: { zod: '1', '@b/c': '1' }, devDependencies: { ws: '1' } }
  const source = `
    import type * as z from 'zod/mini'
    export { one } from '@b/c/one.ts'
    import { two } from '@b/d/two.ts'
    const { Socket } = await import('ws')
    import 'node:fs'
    import './three.ts'
    import '#a/four.ts'
    import '@sdd/a/five.ts'
    import fc from 'fast-check'
    // import 'six'`
  const find = (path: string) => undeclared(path, source, own, { devDependencies: { 'fast-check': '1' } })
  assert.deepEqual(find('packages/a/src/one.ts'), ['@b/d', 'ws', 'fast-check'])
  for (const path of ['src/one.test.ts', 'test/one.ts', 'scripts/one.ts', 'one.config.ts'])
    assert.deepEqual(find(`packages/a/${path}`), ['@b/d'], path)
})

function undeclared(path: string, source: string, own: Manifest, all: Manifest): string[] {
  const shipped = /^packages\/[^/]+\/src\//.test(path) && !/\.test\.tsx?$/.test(path)
  const declared = {
    [own.name!]: '',
    ...own.dependencies,
    ...(shipped ? {} : { ...own.devDependencies, ...all.devDependencies }),
  }
  return importedIn(source)
    .flatMap(({ specifier }) => /^(?!\.|node:)(?:@[\w-]+\/)?[\w.-]+/.exec(specifier)?.[0] ?? [])
    .filter((name) => !Object.hasOwn(declared, name))
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
