import { globSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { ROOT } from '../../scripts/run.ts'
import { type Lock, type Locked, nameOf, neededBy, PARTS } from './lock.ts'
import { ALLOWED, ALLOWED_TOO, ALLOWED_TOOLS, INSTALL_SCRIPTS } from './rules.ts'

/** The faults of third-party packages, each as a sentence; empty if all is well. */
export function faultsOf(lock: Lock): string[] {
  const others = Object.entries(lock.packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )
  const running = new Set(PARTS.flatMap((part) => neededBy(lock, part).all))
  return [
    ...others.flatMap(([path, locked]) => unlocked(path, locked)),
    ...others.flatMap(([path, { hasInstallScript }]) =>
      hasInstallScript && !isNamed(nameOf(path))
        ? [
            `${path} runs a program when it is installed: name it in tools/supply/rules.ts, with why it is not needed`,
          ]
        : [],
    ),
    ...others.flatMap(([path, { license }]) => wrongLicence(path, license, running.has(path))),
    ...inexact(),
    ...refusals(),
  ]
}

/** Packages must come from the registry, whichever it is (`omit-lockfile-registry-resolved`), and be pinned by hash. */
function unlocked(path: string, { resolved, integrity }: Locked): string[] {
  const faults: string[] = []
  if (!integrity?.startsWith('sha512-')) faults.push(`${path} has no SHA-512 in package-lock.json`)
  if (resolved !== undefined) faults.push(`${path} comes from ${resolved}, not from the registry`)
  return faults
}

function isNamed(name: string): boolean {
  return Object.keys(INSTALL_SCRIPTS).some((pattern) => matchesGlob(name, pattern))
}

function wrongLicence(path: string, licence: string | undefined, runs: boolean): string[] {
  const name = nameOf(path)
  if (licence !== undefined && (ALLOWED.includes(licence) || ALLOWED_TOO[name]?.licence === licence))
    return []
  if (!runs && licence !== undefined && ALLOWED_TOOLS.includes(licence)) return []
  return [`${path} has the licence ${licence ?? '(none)'}, which tools/supply/rules.ts does not allow`]
}

/** A range could resolve to another package tomorrow. */
function inexact(): string[] {
  type Manifest = Partial<
    Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string>>
  >
  return globSync(['package.json', 'packages/*/package.json'], { cwd: ROOT }).flatMap((path) => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(ROOT, path), 'utf8'),
    ) as Manifest
    return Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
      .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      .map(([name, version]) => `${path} asks for ${name} ${version}: name one version`)
  })
}

function refusals(): string[] {
  const settings = readFileSync(join(ROOT, '.npmrc'), 'utf8').split('\n')
  return settings.includes('ignore-scripts=true') ? [] : ['.npmrc does not say ignore-scripts=true']
}
