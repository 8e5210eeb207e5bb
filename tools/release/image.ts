import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bases } from './build.ts'

/** Builds the image with buildah, and writes it as an archive that any engine loads. Returns the path of that. */
export function buildImage({
  tree,
  version,
  epoch,
  bases,
  out,
}: {
  tree: string
  version: string
  epoch: number
  bases: Bases
  out: string
}): string {
  const file = join(tree, 'Dockerfile.release')
  writeFileSync(file, forBuildah(readFileSync(join(tree, 'deploy/docker/Dockerfile'), 'utf8'), bases))
  const name = `localhost/sms-drone-dash:${version}`
  buildah([
    'build',
    '--isolation=chroot',
    '--format=docker',
    `--timestamp=${epoch}`,
    `--file=${file}`,
    `--tag=${name}`,
    tree,
  ])
  const archive = join(out, `sms-drone-dash-${version}-image.tar`)
  buildah(['push', '--quiet', name, `docker-archive:${archive}:sms-drone-dash:${version}`])
  buildah(['rmi', name])
  settle(archive, epoch)
  return archive
}

type Manifest = { Config: string; RepoTags: string[]; Layers: string[] }

/**
 * Makes the archive the same for the same layers: buildah writes the names of its containers into the configuration,
 * and the time into the archive.
 */
function settle(archive: string, epoch: number): void {
  const folder = mkdtempSync(`${archive}-`)
  execFileSync('tar', ['-xf', archive, '-C', folder])
  const [its] = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as [Manifest]
  const config = readFileSync(join(folder, its.Config), 'utf8')
  const same = JSON.stringify(JSON.parse(config), (name, value: unknown) =>
    name === 'Hostname' || name === 'container' ? undefined : value,
  )
  const Config = `${createHash('sha256').update(same).digest('hex')}.json`
  writeFileSync(join(folder, Config), same)
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify([{ ...its, Config }]))
  const times = [
    `--mtime=@${epoch}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=0644',
    '--format=ustar',
  ]
  execFileSync('tar', ['-cf', archive, ...times, '-C', folder, 'manifest.json', Config, ...its.Layers])
  rmSync(folder, { recursive: true })
}

/** The Dockerfile as buildah reads it, with other base images for machines that reach no registry of images. */
export function forBuildah(dockerfile: string, { node, debian }: Bases): string {
  return (
    dockerfile
      .replace(/^FROM node:\S+/m, (from) => (node ? `FROM ${node}` : from))
      .replace(/^FROM debian:\S+/m, (from) => (debian ? `FROM ${debian}` : from))
      // buildah 1.28, of Debian 12, does not know it. Without it the first check takes longer.
      .replace(/ --start-interval=\S+/, '')
  )
}

export function buildah(args: string[]): string {
  return execFileSync('buildah', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 ** 2,
  })
}
