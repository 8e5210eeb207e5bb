import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { type Postgres, startPostgres } from './postgres.ts'

let own: Promise<Postgres> | undefined

/** A new, empty database for a test: on the PostgreSQL of this run, or on one that ends with this process. */
export async function newDatabase(): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await administer(`create database ${name}`)
  return (await serverUrl()).replace('/postgres?', `/${name}?`)
}

/** The database behind this URL is not needed any more. */
export function dropDatabase(url: string): Promise<void> {
  return administer(`drop database ${new URL(url).pathname.slice(1)} with (force)`)
}

async function serverUrl(): Promise<string> {
  return process.env.TEST_POSTGRES_URL ?? (await (own ??= startPostgres())).url
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: await serverUrl() })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
