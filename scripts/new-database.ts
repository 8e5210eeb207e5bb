import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { type Postgres, startPostgres } from './postgres.ts'

let own: Promise<Postgres> | undefined

/** A new, empty database for a test: on this run's PostgreSQL, or on one that ends with this process. */
export async function newDatabase(): Promise<string> {
  return createDatabase(`test_${randomUUID().replaceAll('-', '')}`)
}

const templates = new Map<string, Promise<void>>()

/**
 * A new copy of a template database that `fill` fills. The first process that asks for this name fills it, once per
 * run; copying takes a tenth of the time.
 */
export async function copyDatabase(template: string, fill: (url: string) => Promise<void>): Promise<string> {
  await templates.getOrInsertComputed(template, () => makeTemplate(template, fill))
  return createDatabase(`test_${randomUUID().replaceAll('-', '')}`, `template ${template}`)
}

async function makeTemplate(name: string, fill: (url: string) => Promise<void>): Promise<void> {
  await withServer(async (client) => {
    // Other processes wait here until the template is ready.
    await client.query('select pg_advisory_lock(hashtext($1))', [name])
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (rowCount !== 0) return
    await client.query(`drop database if exists unfinished_${name}`)
    await fill(await createDatabase(`unfinished_${name}`))
    await client.query(`alter database unfinished_${name} rename to ${name}`)
  })
}

async function createDatabase(name: string, options = ''): Promise<string> {
  await administer(`create database ${name} ${options}`)
  return (await serverUrl()).replace('/postgres?', `/${name}?`)
}

/** Drops the database of this URL. */
export function dropDatabase(url: string): Promise<void> {
  return administer(`drop database ${new URL(url).pathname.slice(1)} with (force)`)
}

async function serverUrl(): Promise<string> {
  return process.env.TEST_POSTGRES_URL ?? (await (own ??= startPostgres())).url
}

async function administer(statement: string): Promise<void> {
  await withServer((client) => client.query(statement))
}

async function withServer(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: await serverUrl() })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
