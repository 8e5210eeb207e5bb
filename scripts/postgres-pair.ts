import { setTimeout as wait } from 'node:timers/promises'
import { connect, type Connection, patientSettingsOf } from '../packages/storage/src/postgres/connection.ts'
import {
  type Cluster,
  makeCluster,
  OF_TESTS,
  openPostgresFolder,
  type Postgres,
  type PostgresFolder,
} from './postgres.ts'

/** A primary and a standby that confirms each commit. `crash`, `shutDown` and `start` act on the primary. */
export type PostgresPair = Postgres & {
  /** The URL of the database `postgres` with both servers, and the URLs of each one; they take turns as primary. */
  readonly url: string
  readonly urls: readonly [string, string]
  /** The folders of their sockets. */
  readonly sockets: readonly [string, string]
  /** Kills the primary as a power cut would, without a restart, and promotes the standby after this long. */
  failOver(after_ms?: number): Promise<void>
  /** Promotes the standby while the primary lives, as when only the network between them is cut. */
  split(): Promise<void>
  /** Makes the former primary a standby of the new one, which from then on waits for it. */
  rejoin(): Promise<void>
  /** Stops the standby: until it is back, no commit is confirmed. */
  endStandby(): Promise<void>
  /**
   * Starts the server that is not the primary, unchanged. Before a promotion that is the standby; after one it is the
   * old primary, which does not know about its successor.
   */
  startOther(): Promise<void>
}

type Member = Cluster & { url: string; sockets: string }

const NAME = 'other'
const SETTINGS = [...OF_TESTS, 'wal_keep_size=1GB', 'wal_retrieve_retry_interval=100ms']
const WITHIN_MS = 30_000

export async function startPostgresPair(): Promise<PostgresPair> {
  const folder = openPostgresFolder()
  const members = [openMember(folder, 'one'), openMember(folder, 'two')] as const
  const [one, two] = members
  let [primary, standby]: [Member, Member] = [one, two]

  /** From here on every commit waits for the standby. */
  async function join(): Promise<void> {
    await follow(folder, primary, standby)
    await standby.start()
    await ask(primary.url, async (session) => {
      await until(session, `select count(*) > 0 as yes from pg_stat_replication where state = 'streaming'`)
      await session.send(`alter system set synchronous_standby_names = '${NAME}'`)
      await session.send('select pg_reload_conf()')
      await until(session, `select count(*) > 0 as yes from pg_stat_replication where sync_state = 'sync'`)
    })
  }

  function promote(): void {
    ;[primary, standby] = [standby, primary]
    folder.run('pg_ctl', ['promote', '--wait', '-D', primary.path])
  }

  makeCluster(folder, one.path)
  await one.start()
  await join()
  return {
    url: `postgres://postgres@localhost/postgres?host=${members.map(({ sockets }) => sockets).join()}`,
    urls: [one.url, two.url],
    sockets: [one.sockets, two.sockets],
    crash: () => primary.end('SIGQUIT'),
    shutDown: () => primary.end('SIGINT'),
    start: () => primary.start(),
    async failOver(after_ms = 0) {
      await primary.end('SIGKILL')
      await wait(after_ms)
      promote()
    },
    split: async () => promote(),
    async rejoin() {
      await standby.end('SIGQUIT')
      await join()
    },
    endStandby: () => standby.end('SIGQUIT'),
    startOther: () => standby.start(),
    async stop() {
      await Promise.all([standby.end('SIGQUIT'), primary.end('SIGQUIT')])
      await folder.remove()
    },
  }
}

function openMember(folder: PostgresFolder, name: string): Member {
  const sockets = `${folder.path}/${name}-socket`
  folder.run('mkdir', [sockets])
  return {
    ...folder.cluster(name, sockets, SETTINGS),
    sockets,
    url: `postgres://postgres@localhost/postgres?host=${sockets}`,
  }
}

/** Copies the primary's files while it runs, since npm brings no pg_basebackup, and starts a standby from them. */
async function follow(folder: PostgresFolder, primary: Member, standby: Member): Promise<void> {
  await ask(primary.url, async (session) => {
    await session.send(`select pg_backup_start('standby', fast => true)`)
    // Files come and go meanwhile; replaying the log corrects any that were copied too early or too late.
    const copy = `rm -rf '${standby.path}' && { cp -a '${primary.path}' '${standby.path}' 2> /dev/null || true; } &&
      cd '${standby.path}' && rm -rf postmaster.pid postmaster.opts pg_wal/* postgresql.auto.conf &&
      mkdir -p pg_wal/archive_status pg_wal/summaries`
    folder.run('sh', ['-c', copy])
    const { rows } = await session.send('select labelfile from pg_backup_stop(wait_for_archive => false)')
    const settings = `primary_conninfo = 'host=${primary.sockets} user=postgres application_name=${NAME}'`
    folder.run('sh', [
      '-c',
      `cd '${standby.path}' && touch standby.signal && printf '%s' "$1" > backup_label && echo "$2" > postgresql.auto.conf`,
      'sh',
      (rows as { labelfile: string }[])[0]!.labelfile,
      settings,
    ])
  })
}

async function ask(url: string, work: (session: Connection) => Promise<void>): Promise<void> {
  const session = await connect(patientSettingsOf(url))
  try {
    await work(session)
  } finally {
    await session.close()
  }
}

async function until(session: Connection, question: string): Promise<void> {
  const end = Date.now() + WITHIN_MS
  for (;;) {
    const { rows } = await session.send(question)
    if ((rows as { yes: boolean }[])[0]!.yes) return
    if (Date.now() > end) throw new Error(`The standby does not follow: ${question}`)
    await wait(50)
  }
}
