import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { main, ROOT } from '../../scripts/run.ts'
import { emptyDebian } from './bases.ts'

const HELP = `npm run try:packages -- RELEASE-FOLDER [BASE-FOLDER]

Installs the packages of a release in a Debian that systemd starts in a container without network, as
docs/deploying.md says, sends an SMS, and upgrades, removes and purges them. Takes a few minutes, and needs root,
debootstrap and systemd-nspawn. BASE-FOLDER keeps the empty Debian for the next time.
`

/** Beyond what every Debian has: for the commands of docs/deploying.md, and the packages' dependencies. */
const INCLUDED = [
  'systemd',
  'systemd-sysv',
  'dbus',
  'sudo',
  'curl',
  'jq',
  'ca-certificates',
  'procps',
  'libatomic1',
  'libstdc++6',
]
const WITHIN_MS = 300_000
const SECTION = '## One server with Debian packages'

const UNIT = `[Unit]
Description=Tries the packages
After=multi-user.target

[Service]
Type=exec
WorkingDirectory=/trial/release
StandardOutput=file:/trial/output
StandardError=inherit
ExecStart=/bin/bash -eu -o pipefail /trial/try.sh
ExecStopPost=/bin/systemctl --no-block poweroff

[Install]
WantedBy=multi-user.target
`

await main(async () => {
  const [release, bases = join(ROOT, 'dist/bases')] = process.argv.slice(2)
  if (release === undefined || release.startsWith('-')) {
    process.stdout.write(HELP)
    return release === '--help' ? 0 : 2
  }
  if (process.getuid?.() !== 0) throw new Error('Run this as root: it makes and starts a container')
  const base = emptyDebian(bases, 'systemd', INCLUDED)
  const work = mkdtempSync(join(bases, 'try-'))
  try {
    run('cp', '-a', '--reflink=auto', `${base}/.`, work)
    const root = join(work, 'trial')
    cpSync(resolve(release), join(root, 'release'), { recursive: true })
    makeNext(join(root, 'release'), join(root, 'next'))
    const commands = blocksOf(readFileSync(join(ROOT, 'docs/deploying.md'), 'utf8')).join('\n')
    const checks = readFileSync(join(ROOT, 'tools/release/try-packages.sh'), 'utf8')
    writeFileSync(
      join(root, 'try.sh'),
      checks.replace('@COMMANDS@', () => commands),
    )
    writeFileSync(join(work, 'etc/hosts'), '127.0.0.1 localhost try\n')
    writeFileSync(join(work, 'etc/systemd/system/try.service'), UNIT)
    mkdirSync(join(work, 'etc/systemd/system/multi-user.target.wants'), { recursive: true })
    run(
      'ln',
      '-sf',
      '/etc/systemd/system/try.service',
      join(work, 'etc/systemd/system/multi-user.target.wants'),
    )
    spawnSync(
      'systemd-nspawn',
      [
        '--quiet',
        '--boot',
        '--private-network',
        '--register=no',
        '--keep-unit',
        '--hostname=try',
        '-D',
        work,
      ],
      { env: { ...process.env, UNIFIED_CGROUP_HIERARCHY: '1' }, stdio: 'ignore', timeout: WITHIN_MS },
    )
    process.stdout.write(readFileSync(join(root, 'output'), 'utf8'))
    if (!existsSync(join(root, 'done'))) throw new Error('A command failed: the last one above')
    console.log('packages: installed, used, upgraded, removed and purged')
    return 0
  } finally {
    rmSync(work, { recursive: true })
  }
})

/** The commands of the page's section about packages. */
function blocksOf(page: string): string[] {
  const from = page.indexOf(`\n${SECTION}\n`)
  const section = page.slice(from + 1, page.indexOf('\n## ', from + SECTION.length))
  return [...section.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, commands]) => commands!)
}

/** The same release with a later version, whose settings have one line more, to upgrade to. */
function makeNext(release: string, next: string): void {
  mkdirSync(next)
  for (const file of globSync('*_amd64.deb', { cwd: release })) {
    const folder = join(next, 'unpacked')
    run('dpkg-deb', '-R', join(release, file), folder)
    const control = join(folder, 'DEBIAN/control')
    writeFileSync(control, readFileSync(control, 'utf8').replace(/^(Version: .+)$/m, '$1+next'))
    for (const settings of globSync('etc/*/*.env', { cwd: folder }))
      appendFileSync(join(folder, settings), '# Of the next version.\n')
    run(
      'dpkg-deb',
      '--root-owner-group',
      '-Znone',
      '--build',
      folder,
      join(next, basename(file).replace('_amd64', '+next_amd64')),
    )
    rmSync(folder, { recursive: true })
  }
  cpSync(join(release, 'install.sh'), join(next, 'install.sh'))
  const sums = execFileSync('sh', ['-c', 'sha256sum *'], { cwd: next, encoding: 'utf8' })
  writeFileSync(join(next, 'SHA256SUMS'), sums)
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
}
