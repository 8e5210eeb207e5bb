import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { main, ROOT } from '../../scripts/run.ts'
import { buildRelease } from './build.ts'
import { signSums } from './sign.ts'
import { setVersion } from './version.ts'

const HELP = `npm run release -- VERSION [--out FOLDER] [--sign KEY] [--no-image | --base-node IMAGE --base-debian IMAGE]

With another version than that of package.json: writes VERSION everywhere, and ends. Read and commit the result.
With the version of package.json: builds the release of the newest commit in FOLDER (dist/release). Two runs give the
same bytes. This needs Debian's dpkg-dev and, for the image, buildah. --base-node and --base-debian replace the base
images of the Dockerfile. --sign signs the checksums with this Ed25519 key, a private one as PEM. docs/releasing.md has all steps.
`

await main(async () => {
  const { values, positionals } = parseArgs({
    options: {
      help: { type: 'boolean' },
      out: { type: 'string', default: join(ROOT, 'dist/release') },
      sign: { type: 'string' },
      'no-image': { type: 'boolean' },
      'base-node': { type: 'string' },
      'base-debian': { type: 'string' },
    },
    allowPositionals: true,
  })
  const [version] = positionals
  if (values.help || version === undefined || !/^\d+\.\d+\.\d+(-[0-9a-z.]+)?$/.test(version)) {
    process.stdout.write(HELP)
    return values.help ? 0 : 2
  }
  if (git('status', '--porcelain') !== '')
    throw new Error('There are changes that are not committed: commit them first')
  const { version: current } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    version: string
  }
  if (version !== current) {
    const changed = setVersion(current, version, new Date().toISOString().slice(0, 10))
    console.log(
      `${changed.length} files have the version ${version} now. Read and commit them, then run this again.`,
    )
    return 0
  }
  const out = resolve(values.out)
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  const bases = { node: values['base-node'], debian: values['base-debian'] }
  await buildRelease({
    version,
    out,
    epoch: Number(git('log', '-1', '--format=%ct')),
    image: values['no-image'] ? undefined : bases,
  })
  if (values.sign !== undefined) signSums(out, values.sign)
  return 0
})

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
}
