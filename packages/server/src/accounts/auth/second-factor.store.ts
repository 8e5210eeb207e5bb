import type { Tx } from '#server/database/schema.ts'

/** The second factor of one user. */
export function secondFactorStore(tx: Tx, user_id: number) {
  return {
    /** `enabled_at` is null while it is not confirmed yet. */
    find: () =>
      tx
        .selectFrom('second_factors')
        .select(['secret', 'enabled_at'])
        .where('user_id', '=', user_id)
        .executeTakeFirst(),

    /** In place of one that was never confirmed; false where another is on. */
    async begin(secret: string, created_at: string): Promise<boolean> {
      const fresh = { secret, created_at, used_step: 0 }
      const row = await tx
        .insertInto('second_factors')
        .values({ user_id, ...fresh, enabled_at: null })
        .onConflict((conflict) =>
          conflict.column('user_id').doUpdateSet(fresh).where('second_factors.enabled_at', 'is', null),
        )
        .returning('user_id')
        .executeTakeFirst()
      return row !== undefined
    },

    /** False where it was on already. */
    async enable(enabled_at: string): Promise<boolean> {
      const row = await tx
        .updateTable('second_factors')
        .set({ enabled_at })
        .where('user_id', '=', user_id)
        .where('enabled_at', 'is', null)
        .returning('user_id')
        .executeTakeFirst()
      return row !== undefined
    },

    /** Notes that the code of this step was used; false where it, or a later one, was used before. */
    async useStep(used_step: number): Promise<boolean> {
      const row = await tx
        .updateTable('second_factors')
        .set({ used_step })
        .where('user_id', '=', user_id)
        .where('used_step', '<', used_step)
        .returning('user_id')
        .executeTakeFirst()
      return row !== undefined
    },

    /** Whether the user's company requires it of them. */
    async isEnforced(): Promise<boolean> {
      const row = await tx
        .selectFrom('users')
        .innerJoin('settings', 'settings.company_id', 'users.companyId')
        .select('users.id')
        .where('users.id', '=', user_id)
        .where('users.role', '<>', 'user')
        .where('settings.require_second_factor', '=', 1)
        .executeTakeFirst()
      return row !== undefined
    },

    /** False where there was none that was on. */
    async remove(): Promise<boolean> {
      await tx.deleteFrom('recovery_codes').where('user_id', '=', user_id).execute()
      const row = await tx
        .deleteFrom('second_factors')
        .where('user_id', '=', user_id)
        .returning('enabled_at')
        .executeTakeFirst()
      return typeof row?.enabled_at === 'string'
    },

    async replaceRecoveryCodes(hashes: readonly string[]): Promise<void> {
      await tx.deleteFrom('recovery_codes').where('user_id', '=', user_id).execute()
      const rows = hashes.map((code_hash) => ({ user_id, code_hash }))
      await tx.insertInto('recovery_codes').values(rows).execute()
    },

    /** It is gone then; false where there was none such. */
    async useRecoveryCode(code_hash: string): Promise<boolean> {
      const row = await tx
        .deleteFrom('recovery_codes')
        .where('user_id', '=', user_id)
        .where('code_hash', '=', code_hash)
        .returning('user_id')
        .executeTakeFirst()
      return row !== undefined
    },

    async countRecoveryCodes(): Promise<number> {
      const { count } = await tx
        .selectFrom('recovery_codes')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('user_id', '=', user_id)
        .executeTakeFirstOrThrow()
      return Number(count)
    },
  }
}
