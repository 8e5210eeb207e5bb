import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NODE_VERSION } from '../supply/node.ts'
import { buildah } from './image.ts'

/** Names of the base images that are made here, without a registry of images. */
export const LOCAL_BASES = {
  debian: 'localhost/sdd-debian:trixie',
  node: `localhost/sdd-node:${NODE_VERSION}`,
}

/** The npm of the base image `node`. */
const NPM = 'npm@11.19.1'

/** An empty Debian 13 with these packages, below `folder`. It is made once. */
export function emptyDebian(folder: string, name: string, packages: string[]): string {
  const root = join(folder, name)
  // Written at the very end.
  if (existsSync(join(root, 'etc/debootstrapped'))) return root
  rmSync(root, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const include = packages.length === 0 ? [] : [`--include=${packages.join(',')}`]
  execFileSync('debootstrap', ['--variant=minbase', ...include, 'trixie', root], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  for (const path of ['var/cache/apt', 'var/lib/apt/lists', 'var/log']) emptyFolder(join(root, path))
  mkdirSync(join(root, 'etc/debootstrapped'))
  return root
}

function emptyFolder(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
}

/** Makes both base images of the Dockerfile from Debian's packages, and from Node and npm as npm has them. */
export function makeBases(folder: string, node: string): void {
  const root = emptyDebian(folder, 'debian', ['ca-certificates'])
  const empty = buildah(['from', 'scratch']).trim()
  buildah(['add', '--quiet', empty, root, '/'])
  buildah(['commit', '--quiet', '--rm', empty, LOCAL_BASES.debian])
  const npm = mkdtempSync(join(tmpdir(), 'sdd-npm-'))
  try {
    const file = execFileSync('npm', ['pack', '--silent', NPM], { cwd: npm, encoding: 'utf8' }).trim()
    execFileSync('tar', ['-xzf', file], { cwd: npm })
    const container = buildah(['from', '--pull-never', LOCAL_BASES.debian]).trim()
    const add = (from: string, to: string) => buildah(['add', '--quiet', container, from, to])
    add(node, '/usr/local/bin/node')
    add(join(npm, 'package'), '/usr/local/lib/node_modules/npm')
    add(join(npm, 'package/LICENSE'), '/usr/local/LICENSE')
    buildah(['run', '--isolation=chroot', container, '--', 'sh', '-ec', PREPARED])
    // A network with its own certificate authority. Only the build uses this image.
    const authority = process.env['NODE_EXTRA_CA_CERTS']
    if (authority) {
      add(authority, '/usr/local/share/authority.pem')
      buildah(['config', '--env', 'NODE_EXTRA_CA_CERTS=/usr/local/share/authority.pem', container])
    }
    buildah(['commit', '--quiet', '--rm', container, LOCAL_BASES.node])
  } finally {
    rmSync(npm, { recursive: true })
  }
}

const PREPARED = `export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends libatomic1 libstdc++6 >/dev/null
chmod +x /usr/local/lib/node_modules/npm/bin/npm-cli.js
ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm`
