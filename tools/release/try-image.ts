import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main, ROOT } from '../../scripts/run.ts'
import { LOCAL_BASES, makeBases } from './bases.ts'
import { buildImage } from './image.ts'
import { checkOut, takeNode } from './stage.ts'

const HELP = `npm run try:image -- [--bases] [BASE-FOLDER]

Builds the image of the newest commit on base images made from Debian's packages, and runs it by podman-compose with
deploy/compose/compose.yaml: start, health check, backup, stop, update. Takes a few minutes, and needs root, debootstrap,
buildah, podman and podman-compose. --bases only makes the base images, for 'npm run release'.
`

await main(async () => {
  const args = process.argv.slice(2)
  if (args.includes('--help')) {
    process.stdout.write(HELP)
    return 0
  }
  if (process.getuid?.() !== 0) throw new Error('Run this as root: it makes and starts containers')
  const [folder = join(ROOT, 'dist/bases')] = args.filter((arg) => !arg.startsWith('-'))
  const work = mkdtempSync(join(tmpdir(), 'sdd-image-'))
  try {
    makeBases(folder, takeNode(work, 'amd64'))
    console.log(`image: the base images are ${Object.values(LOCAL_BASES).join(' and ')}`)
    if (args.includes('--bases')) return 0
    const [tree, out] = [join(work, 'tree'), join(work, 'out')]
    checkOut(tree)
    mkdirSync(out)
    const git = ['log', '-1', '--format=%ct']
    const epoch = Number(execFileSync('git', git, { cwd: ROOT, encoding: 'utf8' }))
    const archive = buildImage({ tree, version: 'try', epoch, bases: LOCAL_BASES, out })
    // In its own mount namespace, because podman needs control groups of version 2.
    const { status } = spawnSync(
      'unshare',
      [
        '--mount',
        'bash',
        '-eu',
        '-o',
        'pipefail',
        join(ROOT, 'tools/release/try-image.sh'),
        archive,
        LOCAL_BASES.debian,
        join(tree, 'deploy/compose'),
      ],
      { stdio: 'inherit' },
    )
    return status ?? 1
  } finally {
    rmSync(work, { recursive: true })
  }
})
