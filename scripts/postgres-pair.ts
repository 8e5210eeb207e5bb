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

/** A primary and a standby that confirms each commit. `crash`, `shutDown` and `start` are those of the primary. */
export type PostgresPair = Postgres & {
  /** Of the database `postgres`: the list of both; and one of each, which take turns at being the primary. */
  readonly url: string
  readonly urls: readonly [string, string]
  /** Folders of their sockets. */
  readonly sockets: readonly [string, string]
  /** Kills the primary as the power would, which does not start again, and after so long promotes the standby. */
  failOver(after_ms?: number): Promise<void>
  /** The standby is promoted while the primary lives, as where only the way between them is cut. */
  split(): Promise<void>
  /** What was the primary is made a standby of the one that took over, which waits for it from then on. */
  rejoin(): Promise<void>
  /** The standby goes away: until it is back no commit is confirmed. */
  endStandby(): Promise<void>
  /**
   * Starts what is not the primary, as it is. Without a promotion that is the standby; after one it is the old primary,
   * which does not know that another took over.
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

/** A copy of what the primary has, while it works; npm brings no pg_basebackup. It begins from there as a standby. */
async function follow(folder: PostgresFolder, primary: Member, standby: Member): Promise<void> {
  await ask(primary.url, async (session) => {
    await session.send(`select pg_backup_start('standby', fast => true)`)
    // Files come and go meanwhile: what was copied too early or too late, the log puts right.
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
