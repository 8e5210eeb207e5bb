import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** `npm run build -w @sdd/client [-- FOLDER]`: the package as it is published, JavaScript with types. */
const root = join(import.meta.dirname, '..')
const folder = process.argv[2] ?? join(root, 'dist')

rmSync(folder, { recursive: true, force: true })
const tsc = join(root, '../../node_modules/typescript/bin/tsc')
execFileSync(process.execPath, [tsc, '-p', root, '--outDir', folder], { stdio: 'inherit' })
chmodSync(join(folder, 'main.js'), 0o755)

const { name, version, description, license } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as Record<string, string>
const manifest = {
  name,
  version,
  description,
  license,
  type: 'module',
  engines: { node: '>=20.3' },
  exports: { '.': './client.js', './webhooks': './webhooks.js' },
  bin: { sdd: 'main.js' },
  sideEffects: false,
}
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
copyFileSync(join(root, 'README.md'), join(folder, 'README.md'))
copyFileSync(join(root, '../../LICENSE'), join(folder, 'LICENSE'))
console.log(`@sdd/client ${version} is in ${folder}`)
