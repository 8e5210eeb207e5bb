import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..')

/** The titles of a file's tests as written, with `${…}` placeholders. */
function testsIn(file: string): string[] {
  const source = readFileSync(join(ROOT, file), 'utf8')
  return Array.from(source.matchAll(/\btest\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs), ([, , name]) => name!)
}

/** The fault of a page that names this test, where `…` matches anything; `undefined` if the test exists. */
export function faultOfNamed(file: string, name: string): string | undefined {
  if (file === '' || !existsSync(join(ROOT, file))) return `there is no ${file}`
  const parts = name.split('…').map((part) => part.trim())
  const found = testsIn(file).some(
    (written) => parts.every((part) => written.includes(part)) || isTitle(written, name),
  )
  return found ? undefined : `${file} has no test "${name}"`
}

/** Whether the title as written gives this name, whatever its placeholders stand for. */
function isTitle(written: string, name: string): boolean {
  const texts = written.split(/\$\{[^}]*\}/).map((text) => RegExp.escape(text))
  return new RegExp(`^${texts.join('.+')}$`).test(name)
}
