import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/run.ts'

type Names = Record<string, string>

/** A package in package-lock.json (lockfileVersion 3), by its location: `node_modules/zod`. */
export type Locked = {
  version?: string
  license?: string
  resolved?: string
  integrity?: string
  link?: boolean
  dev?: boolean
  hasInstallScript?: boolean
  dependencies?: Names
  optionalDependencies?: Names
  peerDependencies?: Names
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}
export type Lock = { lockfileVersion: number; packages: Record<string, Locked> }

/** The parts of the product that run somewhere. The console runs in browsers, bundled. */
export const PARTS = ['server', 'agent', 'console', 'mcp'] as const
export type Part = (typeof PARTS)[number]

export function readLock(): Lock {
  return JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock
}

/** The name of the package at this location. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

/** All third-party packages that a part needs at run time, by location; `direct` are those it names itself. */
export function neededBy(lock: Lock, part: Part): { direct: string[]; all: string[] } {
  const all = new Set<string>()
  const visit = (from: string): string[] => {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } =
      lock.packages[from]!
    const peers = Object.keys(peerDependencies ?? {}).filter(
      (name) => !peerDependenciesMeta?.[name]?.optional,
    )
    const names = [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]
    return names.flatMap((name) => {
      const path = find(lock, from, name)
      // Type packages only describe other packages and never run.
      if (path === undefined || name.startsWith('@types/')) return []
      const { link, resolved } = lock.packages[path]!
      // Our own packages are not third-party; the part counts as naming their dependencies.
      if (link) return visit(resolved!)
      if (!all.has(path)) {
        all.add(path)
        visit(path)
      }
      return [path]
    })
  }
  const direct = [...new Set(visit(`packages/${part}`))]
  return { direct, all: [...all].sort() }
}

/** Like Node's lookup: in the package itself, then further and further up. */
function find(lock: Lock, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (lock.packages[path]) return path
    if (folder === '') return undefined
  }
}
