import { sql } from '@sdd/storage/sql.ts'
import type { SecondFactors, Tx } from '#server/database/schema.ts'

/** The second factor of one user. */
export function secondFactorStore(tx: Tx, user_id: number) {
  return {
    /** `enabled_at` is null until it is confirmed. */
    find: () => tx.first(FIND, { user_id }),

    /** Replaces a factor that was never confirmed. Returns false if one is enabled. */
    begin: async (secret: string, created_at: string): Promise<boolean> =>
      (await tx.first(BEGIN, { user_id, secret, created_at })) !== undefined,

    /** Returns false if it was enabled already. */
    enable: async (enabled_at: string): Promise<boolean> =>
      (await tx.first(ENABLE, { user_id, enabled_at })) !== undefined,

    /** Stores that the code of this step was used. Returns false if this or a later code was used before. */
    useStep: async (used_step: number): Promise<boolean> =>
      (await tx.first(USE_STEP, { user_id, used_step })) !== undefined,

    /** Whether the user's company requires a second factor of this user. */
    isEnforced: async (): Promise<boolean> => (await tx.first(ENFORCED, { user_id })) !== undefined,

    /** Returns false if none was enabled. */
    async remove(): Promise<boolean> {
      await tx.run(REMOVE_CODES, { user_id })
      const removed = await tx.first(REMOVE, { user_id })
      return typeof removed?.enabled_at === 'string'
    },

    async replaceRecoveryCodes(hashes: readonly string[]): Promise<void> {
      await tx.run(REMOVE_CODES, { user_id })
      await tx.insert(
        'recovery_codes',
        hashes.map((code_hash) => ({ user_id, code_hash })),
      )
    },

    /** Removes the code. Returns false if there is no such code. */
    useRecoveryCode: async (code_hash: string): Promise<boolean> =>
      (await tx.first(USE_CODE, { user_id, code_hash })) !== undefined,

    async countRecoveryCodes(): Promise<number> {
      const counted = await tx.first(COUNT_CODES, { user_id })
      return Number(counted!.count)
    },
  }
}

type OfUser = { user_id: number }

const FIND = sql<Pick<SecondFactors, 'secret' | 'enabled_at'>, OfUser>`
  select secret, enabled_at from second_factors where user_id = :user_id`

const BEGIN = sql<OfUser, OfUser & { secret: string; created_at: string }>`
  insert into second_factors (user_id, secret, created_at, used_step, enabled_at)
  values (:user_id, :secret, :created_at, 0, null)
  on conflict (user_id) do update
    set secret = excluded.secret, created_at = excluded.created_at, used_step = 0
    where second_factors.enabled_at is null
  returning user_id`

const ENABLE = sql<OfUser, OfUser & { enabled_at: string }>`
  update second_factors set enabled_at = :enabled_at where user_id = :user_id and enabled_at is null
  returning user_id`

const USE_STEP = sql<OfUser, OfUser & { used_step: number }>`
  update second_factors set used_step = :used_step where user_id = :user_id and used_step < :used_step
  returning user_id`

const ENFORCED = sql<{ id: number }, OfUser>`
  select users.id from users join settings on settings.company_id = users."companyId"
  where users.id = :user_id and users.role <> 'user' and require_second_factor = 1`

const REMOVE = sql<Pick<SecondFactors, 'enabled_at'>, OfUser>`
  delete from second_factors where user_id = :user_id returning enabled_at`

const REMOVE_CODES = sql<never, OfUser>`delete from recovery_codes where user_id = :user_id`

const USE_CODE = sql<OfUser, OfUser & { code_hash: string }>`
  delete from recovery_codes where user_id = :user_id and code_hash = :code_hash returning user_id`

const COUNT_CODES = sql<{ count: number }, OfUser>`
  select count(*) as count from recovery_codes where user_id = :user_id`
