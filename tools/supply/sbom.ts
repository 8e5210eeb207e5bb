import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { ROOT } from '../../scripts/run.ts'
import { type Lock, nameOf, neededBy, PARTS } from './lock.ts'

type Component = {
  'bom-ref': string
  name: string
  version: string
  hashes?: { alg: string; content: string }[]
}

/** The fields of a CycloneDX document that are used here. */
export type Sbom = {
  bomFormat: 'CycloneDX'
  serialNumber?: string
  metadata: { timestamp?: string; component: object; tools: object[]; [name: string]: unknown }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
  [name: string]: unknown
}

/** Our own packages in the product, which npm does not list. */
const OWN = ['contract', 'sms', 'http', 'mqtt', 'storage', 'server', 'agent', 'console', 'client', 'mcp']

/**
 * The product's components, as npm lists them from package-lock.json (CycloneDX 1.5, JSON). It includes Node and leaves
 * out packages that only build and test. The same lock file gives the same bytes: there is no time, and the serial
 * number is made from the content.
 */
export function makeSbom(lock: Lock): Sbom {
  const { serialNumber: _, metadata, components, dependencies, ...whole } = askNpm()
  const { timestamp: __, ...timeless } = metadata
  const runs = running(lock)
  const kept = [...ours(lock), ...components.filter(({ name, version }) => runs.has(`${name}@${version}`))]
  const refs = new Set([...kept.map((one) => one['bom-ref']), ...refOf(metadata.component)])
  const sbom = {
    ...whole,
    // npm would name it after the folder, which may have any name.
    metadata: { ...timeless, component: { ...metadata.component, name: 'sms-drone-dash' } },
    components: kept,
    dependencies: dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) })),
  }
  const digest = createHash('sha256').update(JSON.stringify(sbom)).digest('hex')
  return { ...sbom, serialNumber: `urn:uuid:${asUuid(digest)}` }
}

/**
 * All packages: `--omit=dev` would leave out some that the agent needs if the root's tests name them too (npm 11.19).
 */
function askNpm(): Sbom {
  const npm = process.env['npm_execpath']
  const [command, ...before] = npm ? [process.execPath, npm] : ['npm']
  const args = [...before, 'sbom', '--sbom-format=cyclonedx', '--package-lock-only']
  const written = execFileSync(command!, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  return JSON.parse(written) as Sbom
}

function running(lock: Lock): Set<string> {
  const nodes = Object.keys(lock.packages['']!.optionalDependencies ?? {}).map(
    (name) => `node_modules/${name}`,
  )
  const paths = [...nodes, ...PARTS.flatMap((part) => neededBy(lock, part).all)]
  return new Set(paths.map((path) => `${nameOf(path)}@${lock.packages[path]!.version}`))
}

function ours(lock: Lock): Component[] {
  return OWN.map((part) => {
    const [name, version] = [`@sdd/${part}`, lock.packages[`packages/${part}`]!.version!]
    const licenses = [{ license: { id: 'MIT' } }]
    return { 'bom-ref': `${name}@${version}`, type: 'library', name, version, scope: 'required', licenses }
  })
}

function refOf(component: object): string[] {
  return Object.entries(component).flatMap(([name, value]) => (name === 'bom-ref' ? [String(value)] : []))
}

/** RFC 9562, version 8, for custom bits. */
function asUuid(hex: string): string {
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
