import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/run.ts'

/** Files that name the version, besides the manifests and the changelog. */
const NAMED_IN = [
  'packages/contract/src/core/version.ts',
  'packages/mcp/src/server.ts',
  'packages/simulator/src/life.ts',
  'packages/console/test/examples.ts',
  'deploy',
  'docs/agent.md',
  'docs/deploying.md',
]

/** Writes the version everywhere, and the changelog's heading. Returns the changed files. */
export function setVersion(from: string, to: string, day: string, root: string = ROOT): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--', ...NAMED_IN], { cwd: root, encoding: 'utf8' })
  const manifests = execFileSync('git', ['ls-files', '-z', '--', '*package.json', 'package-lock.json'], {
    cwd: root,
    encoding: 'utf8',
  })
  const changed: string[] = []
  const edit = (path: string, write: (text: string) => string) => {
    const text = readFileSync(join(root, path), 'utf8')
    const written = write(text)
    if (written === text) return
    writeFileSync(join(root, path), written)
    changed.push(path)
  }
  for (const path of listed.split('\0').filter(Boolean))
    edit(path, (text) =>
      text.replaceAll(new RegExp(`(?<=[:/'-]|newTag: )${RegExp.escape(from)}\\b`, 'g'), to),
    )
  for (const path of manifests.split('\0').filter(Boolean))
    edit(path, (text) => `${JSON.stringify(bumped(JSON.parse(text), from, to), null, 2)}\n`)
  edit('CHANGELOG.md', (text) => withHeading(text, to, day))
  return changed
}

type Manifest = { name?: string; version?: string; packages?: Record<string, Manifest> } & {
  [field: string]: unknown
}

/** A manifest, or a lock file, with the new version of our own packages. */
function bumped(manifest: Manifest, from: string, to: string): Manifest {
  const isOurs = (name: string | undefined) => name === 'sms-drone-dash' || name?.startsWith('@sdd/')
  const entries = Object.entries(manifest).map(([field, value]): [string, unknown] => {
    if (field === 'version' && isOurs(manifest.name) && value === from) return [field, to]
    if (field.endsWith('ependencies')) {
      const names = Object.entries(value as Record<string, string>)
      return [field, Object.fromEntries(names.map(([name, of]) => [name, isOurs(name) ? to : of]))]
    }
    if (field !== 'packages') return [field, value]
    const packages = Object.entries(value as Record<string, Manifest>)
    return [field, Object.fromEntries(packages.map(([path, one]) => [path, bumped(one, from, to)]))]
  })
  return Object.fromEntries(entries)
}

/** Moves the unreleased changes below a heading of this version. */
function withHeading(changelog: string, version: string, day: string): string {
  if (!changelog.includes('\n## Unreleased\n')) throw new Error('CHANGELOG.md has no heading Unreleased')
  return changelog.replace('\n## Unreleased\n', `\n## Unreleased\n\n## ${version} (${day})\n`)
}

/** The changes of this version; if it has no heading yet, the unreleased ones. */
export function changesOf(changelog: string, version: string): string {
  const parts = changelog.split(/^(?=## )/m)
  const its =
    parts.find((part) => part.startsWith(`## ${version} `)) ?? parts.find((part) => part.startsWith('## Unr'))
  if (its === undefined) throw new Error(`CHANGELOG.md says nothing about ${version}`)
  return `# SMS Drone Dash ${version}\n\n${its.slice(its.indexOf('\n')).trim()}\n`
}
