import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildImage } from './image.ts'
import { writePackage } from './deb.ts'
import { agentPackage, serverPackage } from './packages.ts'
import { type Processor, stage } from './stage.ts'
import { changesOf } from './version.ts'

export type Bases = { node: string | undefined; debian: string | undefined }

/** Builds all files of a release. `epoch`: the time of everything in them, in seconds. */
export async function buildRelease({
  version,
  out,
  epoch,
  image,
}: {
  version: string
  out: string
  epoch: number
  image: Bases | undefined
}): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'sdd-release-'))
  try {
    const staged = await stage(work)
    for (const processor of ['amd64', 'arm64'] as const satisfies Processor[]) {
      for (const describe of [serverPackage, agentPackage]) {
        const its = describe({ version, processor, staged })
        writePackage(its, { tree: staged.tree, out, epoch, work })
      }
    }
    for (const part of ['agent', 'client'])
      npm(staged.tree, 'pack', '--silent', '--pack-destination', out, `./packages/${part}/dist`)
    npm(staged.tree, 'run', '--silent', 'sbom', '--', join(out, `sms-drone-dash-${version}.cdx.json`))
    const changelog = readFileSync(join(staged.tree, 'CHANGELOG.md'), 'utf8')
    writeFileSync(join(out, 'CHANGES.md'), changesOf(changelog, version))
    copyFileSync(join(staged.tree, 'deploy/debian/install.sh'), join(out, 'install.sh'))
    if (image) buildImage({ tree: staged.tree, version, epoch, bases: image, out })
    writeSums(out)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The SHA-256 of each file, as `sha256sum --check` reads it. */
function writeSums(out: string): void {
  const files = readdirSync(out).sort()
  const lines = files.map((file) => `${sha256(join(out, file))}  ${file}\n`)
  writeFileSync(join(out, 'SHA256SUMS'), lines.join(''))
  const sizes = files.map((file): [string, number] => [file, statSync(join(out, file)).size])
  for (const [file, size] of sizes) console.log(`release: ${String(size).padStart(10)}  ${file}`)
  const large = tooLarge(sizes)
  if (large.length > 0) throw new Error(large.join('\n'))
}

/** The budgets in MB. Node is 40 of each package. */
const BUDGETS: [file: RegExp, most_mb: number][] = [
  [/^sms-drone-dash_.*\.deb$/, 50],
  [/^sdd-agent_.*\.deb$/, 43],
  [/^sdd-agent-.*\.tgz$/, 0.4],
  [/^sdd-client-.*\.tgz$/, 0.05],
  [/-image\.tar$/, 350],
]

/** The files over their budget, each in a sentence. */
export function tooLarge(sizes: [file: string, size: number][]): string[] {
  return sizes.flatMap(([file, size]) => {
    const [, most_mb = Infinity] = BUDGETS.find(([pattern]) => pattern.test(file)) ?? []
    const mb = size / 1e6
    return mb > most_mb ? [`${file} has ${mb.toFixed(1)} MB; its budget is ${most_mb} MB`] : []
  })
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

function npm(cwd: string, ...args: string[]): string {
  const program = process.env['npm_execpath']
  const [command, ...before] = program ? [process.execPath, program] : ['npm']
  return execFileSync(command!, [...before, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}
