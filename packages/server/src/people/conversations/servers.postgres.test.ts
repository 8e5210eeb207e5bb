import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { instant, systemClock } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { untilOneWaits } from '#test/lock-waits.ts'
import { SUPERADMIN } from '#test/model/world.ts'
import { openTwoDatabases } from '#test/two-databases.ts'
import { endAssignmentsIn, endAssignmentsOf } from './assigning.ts'
import { changeConversation } from './changing.ts'

/** One server assigns a conversation to a user, while another one takes that user's right to read it. */
const NUMBER = '+34600111222'
const USER = 7
const ADMIN: Caller = { ...SUPERADMIN, role: 'admin', scope: { company_id: 1 } }
const now = instant(systemClock('Europe/Madrid').now())

let one: Database
let other: Database

before(async () => {
  ;({ one, other } = await openTwoDatabases(now))
  await one.write(async (tx) => {
    const names = {
      name: 'ana',
      name_key: 'ana',
      email: 'ana@b.es',
      email_key: 'ana@b.es',
      password_hash: '',
    }
    await tx.put('users', { id: USER }, { companyId: 1, role: 'user', enabled: 1, created_at: now, ...names })
    const nothing = { assigned_to: null, message_id: null, inbox_id: null, typed_id: null, read_id: 0 }
    const row = { company_id: 1, number: NUMBER, status: 'open', last_at: now, ...nothing } as const
    await tx.insert('conversations', [row])
  })
})
after(() => Promise.all([one.close(), other.close()]))

// Statements without rows are not awaited.
const CHANGES: Record<string, (tx: Tx) => Promise<void>> = {
  'is disabled': async (tx) => {
    await tx.query(`update users set enabled = 0 where id = ${USER} returning id`)
    await endAssignmentsOf(tx, USER)
  },
  'may no longer read conversations': async (tx) => {
    await tx.query(`update settings set inbox_role = 'admin' where company_id = 1 returning id`)
    await endAssignmentsIn(tx, 1)
  },
}

for (const [change, make] of Object.entries(CHANGES))
  test(`a user who ${change} at another server is assigned no conversation`, async () => {
    await other.write(async (tx) => {
      await tx.query('update users set enabled = 1 returning id')
      await tx.query(`update settings set inbox_role = 'user' returning id`)
      await tx.query('update conversations set assigned_to = null returning id')
    })
    const changed = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const changing = other.write(async (tx) => {
      await make(tx)
      await tx.query('select 1')
      changed.resolve()
      await commit.promise
    })
    await changed.promise
    const needs = { db: one, live: { changed() {} } as never, numbers: { kept: () => NUMBER } }
    const assigning = changeConversation(needs, ADMIN, { number: NUMBER }, { assigned_to: USER })
    await Promise.race([assigning.catch(() => {}), untilOneWaits(other)])
    commit.resolve()
    await changing
    await assert.rejects(assigning, { code: 'invalid' })
  })
