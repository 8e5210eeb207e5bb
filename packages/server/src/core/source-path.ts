import { fileURLToPath } from 'node:url'

/**
 * The path of a file of this package's `src`, which has files besides modules. A module that needs one cannot look next
 * to itself: in the build it lies elsewhere.
 */
export function sourcePath(path: string): string {
  return fileURLToPath(import.meta.resolve(`#server/${path}`))
}
