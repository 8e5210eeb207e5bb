import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Processor } from './stage.ts'

/** A Debian package. Paths in it begin without a slash. */
export type DebianPackage = {
  name: string
  version: string
  processor: Processor
  depends: string[]
  summary: string
  description: string
  /** Files and folders to copy, by their path in the package. */
  copied: Record<string, string>
  /** Texts to write, by their path in the package. */
  written: Record<string, { text: string; mode?: number }>
  /** Below /etc: an upgrade keeps what an operator changed in them. */
  settings: string[]
}

/**
 * Writes the package of this tree as a file into `out`. The same content gives the same bytes: modes, owners and times are set, and
 * dpkg-deb sorts the files.
 */
export function writePackage(
  its: DebianPackage,
  { tree, out, epoch, work }: { tree: string; out: string; epoch: number; work: string },
): void {
  const root = mkdtempSync(join(work, 'deb-'))
  for (const [path, from] of Object.entries(its.copied)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    cpSync(from, join(root, path), { recursive: true, verbatimSymlinks: true })
  }
  const doc = `usr/share/doc/${its.name}`
  const changes = gzipSync(readFileSync(join(tree, 'CHANGELOG.md')), { level: 9 })
  const texts: DebianPackage['written'] = { ...its.written, [`${doc}/copyright`]: { text: copyright(tree) } }
  for (const [path, { text, mode = 0o644 }] of Object.entries(texts)) write(root, path, text, mode)
  write(root, `${doc}/changelog.gz`, changes, 0o644)

  const files = filesIn(root)
  const size_kb = normalize(root, files, its.written)
  write(root, 'DEBIAN/md5sums', md5sums(root, files), 0o644)
  write(root, 'DEBIAN/control', control(its, size_kb), 0o644)
  write(root, 'DEBIAN/conffiles', its.settings.map((path) => `/${path}\n`).join(''), 0o644)
  for (const script of ['postinst', 'prerm', 'postrm'])
    write(root, `DEBIAN/${script}`, readFileSync(join(tree, 'deploy/debian', script)), 0o755)
  const file = join(out, `${its.name}_${its.version}_${its.processor}.deb`)
  execFileSync(
    'dpkg-deb',
    ['--root-owner-group', '-Zzstd', '-z15', '--threads-max=1', '--build', root, file],
    {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  rmSync(root, { recursive: true })
}

/** Every file and folder below, those with a dot included. Unlike `recursive` of Node it follows no links. */
export function filesIn(root: string, folder = '.'): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? [path, ...filesIn(root, path)] : [path]
    })
    .sort()
}

function write(root: string, path: string, content: string | Uint8Array, mode: number): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
  chmodSync(join(root, path), mode)
}

/** Sets the modes, which otherwise depend on who built it. Returns the size. */
function normalize(root: string, files: string[], written: DebianPackage['written']): number {
  let size_kb = 0
  for (const path of ['.', ...files]) {
    const at = join(root, path)
    const stat = lstatSync(at)
    if (stat.isSymbolicLink()) continue
    if (stat.isDirectory()) chmodSync(at, 0o755)
    else if (!(path in written)) chmodSync(at, stat.mode & 0o100 ? 0o755 : 0o644)
    size_kb += Math.ceil(stat.size / 1024)
  }
  return size_kb
}

function md5sums(root: string, files: string[]): string {
  return files
    .filter((path) => lstatSync(join(root, path)).isFile() && !path.startsWith('etc/'))
    .map(
      (path) =>
        `${createHash('md5')
          .update(readFileSync(join(root, path)))
          .digest('hex')}  ${path}\n`,
    )
    .join('')
}

function control(its: DebianPackage, size_kb: number): string {
  const { name, version, processor, depends, summary, description } = its
  return `Package: ${name}
Version: ${version.replace('-', '~')}
Architecture: ${processor}
Maintainer: The maintainers of SMS Drone Dash <root@localhost>
Installed-Size: ${size_kb}
Depends: ${depends.join(', ')}
Section: net
Priority: optional
Description: ${summary}
${description
  .trim()
  .split('\n')
  .map((line) => ` ${line}\n`)
  .join('')}`
}

function copyright(tree: string): string {
  const licence = readFileSync(join(tree, 'LICENSE'), 'utf8')
  return `${licence}
The packages in node_modules have their own licences, in their folders. The licence of Node is at
https://github.com/nodejs/node/blob/main/LICENSE.
`
}
