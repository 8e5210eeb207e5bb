import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/**
 * `npm run build -w @sdd/agent [-- FOLDER]`: the agent as one file, `dist/agent.mjs`, in a package that `npx` runs.
 * Packages with native code are dependencies of that package, because npm installs them for the right processor.
 */
const root = join(import.meta.dirname, '..')
const folder = process.argv[2] ?? join(root, 'dist')

type Manifest = { version: string; dependencies: Record<string, string>; license?: string; name: string }
const { version, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
const native = Object.fromEntries(
  Object.entries(dependencies).filter(([name]) => name.startsWith('@serialport/')),
)

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const bundle = await rolldown({
  input: join(root, 'src/main.ts'),
  platform: 'node',
  external: Object.keys(native),
  transform: { target: 'node22.13' },
})
const { output } = await bundle.write({
  file: join(folder, 'agent.mjs'),
  format: 'esm',
  codeSplitting: false,
})
await bundle.close()

const manifest = {
  name: 'sdd-agent',
  version,
  description: 'Connects modems and phones to SMS Drone Dash',
  license: 'MIT',
  type: 'module',
  bin: { 'sdd-agent': 'agent.mjs' },
  engines: { node: '>=22.13' },
  dependencies: native,
}
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
writeFileSync(
  join(folder, 'LICENSES.txt'),
  licences(output.flatMap((chunk) => ('moduleIds' in chunk ? chunk.moduleIds : []))),
)
console.log(`The agent ${version} is in ${folder}`)

/** The licences of all bundled packages, as these licences require. */
function licences(modules: string[]): string {
  const packages = new Set(
    modules.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  )
  return [...packages]
    .toSorted()
    .map((path) => {
      const { name, version, license } = JSON.parse(
        readFileSync(join(path, 'package.json'), 'utf8'),
      ) as Manifest
      const file = readdirSync(path).find((file) => /^licen[cs]e/i.test(file))
      const text = file ? readFileSync(join(path, file), 'utf8') : `${license}\n`
      return `${name} ${version}\n${'='.repeat(70)}\n${text.trim()}\n`
    })
    .join('\n')
}
