import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bases } from './build.ts'

/** Builds the image with buildah, and writes it as an archive that any engine loads. */
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
}): void {
  const file = join(tree, 'Dockerfile.release')
  writeFileSync(file, withBases(readFileSync(join(tree, 'deploy/docker/Dockerfile'), 'utf8'), bases))
  const name = `localhost/sms-drone-dash:${version}`
  buildah([
    'build',
    '--isolation=chroot',
    '--format=docker',
    `--timestamp=${epoch}`,
    ...trusted(),
    `--file=${file}`,
    `--tag=${name}`,
    tree,
  ])
  buildah([
    'push',
    '--quiet',
    name,
    `docker-archive:${join(out, `sms-drone-dash-${version}-image.tar`)}:sms-drone-dash:${version}`,
  ])
}

/** The Dockerfile with other base images, for machines that reach no registry of images. */
export function withBases(dockerfile: string, { node, debian }: Bases): string {
  return dockerfile
    .replace(/^FROM node:\S+/m, (from) => (node ? `FROM ${node}` : from))
    .replace(/^FROM debian:\S+/m, (from) => (debian ? `FROM ${debian}` : from))
}

/** A network with its own certificate authority. */
function trusted(): string[] {
  const file = process.env['NODE_EXTRA_CA_CERTS']
  return file ? [`--volume=${file}:/tmp/ca.pem:ro`, '--env=NODE_EXTRA_CA_CERTS=/tmp/ca.pem'] : []
}

export function buildah(args: string[]): string {
  return execFileSync('buildah', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 ** 2,
  })
}
