import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..')

/** The names of a file's tests as they are written, with `${…}` for what a test fills in. */
function testsIn(file: string): string[] {
  const source = readFileSync(join(ROOT, file), 'utf8')
  return Array.from(source.matchAll(/\btest\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs), ([, , name]) => name!)
}

/** What is wrong with the naming of a test in a page, where `…` stands for anything. */
export function faultOfNamed(file: string, name: string): string | undefined {
  if (file === '' || !existsSync(join(ROOT, file))) return `there is no ${file}`
  const parts = name.split('…').map((part) => part.trim())
  const found = testsIn(file).some((written) => parts.every((part) => written.includes(part)))
  return found ? undefined : `${file} has no test "${name}"`
}
