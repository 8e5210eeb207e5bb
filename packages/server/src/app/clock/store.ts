import { sql } from 'kysely'
import type { Tx } from '#server/database/schema.ts'

/** Times that the server set itself, in rows of all companies: none may be further away than the rules ever put it. */
export function clockStore(tx: Tx) {
  // That it is not finished follows, but SQLite finds its index by those words alone.
  const waiting = tx
    .updateTable('messages')
    .where('step', '=', 'waiting')
    .where('step', '<>', sql.lit('finished'))

  return {
    /** The pacing slots of a company's devices. */
    slots: (company_id: number, latest: string) =>
      tx
        .updateTable('devices')
        .set({ next_slot_at: latest })
        .where('company_id', '=', company_id)
        .where('next_slot_at', '>', latest)
        .execute(),

    asides: (latest: string) =>
      tx.updateTable('devices').set({ aside_until: latest }).where('aside_until', '>', latest).execute(),

    quarantines: (latest: string) =>
      tx
        .updateTable('devices')
        .set({ quarantined_until: latest })
        .where('quarantined_until', '>', latest)
        .execute(),

    /** What was counted on a day between these counts on this one. */
    days: (day: string, after: string, before: string) =>
      tx
        .updateTable('devices')
        .set({ sent_day: day })
        .where('sent_day', '>', after)
        .where('sent_day', '<', before)
        .execute(),

    /** Messages that were due when they were stored. */
    due: (now: string) =>
      waiting
        .set({ due_at: now })
        .where('due_at', '>', now)
        .whereRef('due_at', '=', 'queue_timestamp')
        .execute(),

    /** Messages that wait to be tried again. */
    retries: async (latest: string): Promise<void> => {
      const tried = waiting.where('attempt', '>', 0)
      await tried.set({ due_at: latest }).where('due_at', '>', latest).execute()
      await tried
        .set({ lane_until: latest })
        .where('lane', '=', 'later')
        .where('lane_until', '>', latest)
        .execute()
    },

    /** Tasks that wait for the device that their number hears from. */
    sticky: (latest: string) =>
      waiting
        .set({ lane_until: latest })
        .where('lane', 'like', 'device:%')
        .where('lane_until', '>', latest)
        .execute(),

    /** Commands and cancels that go out again. */
    commands: async (latest: string): Promise<void> => {
      const open = tx.updateTable('attempts').where('finished_at', 'is', null)
      await open.set({ resend_at: latest }).where('resend_at', '>', latest).execute()
      await open.set({ cancel_at: latest }).where('cancel_at', '>', latest).execute()
    },

    /** Callbacks that were tried so often. */
    callbacks: (round: number, latest: string) =>
      tx
        .updateTable('callbacks')
        .set({ due_at: latest })
        .where('state', '=', 'waiting')
        .where('round', '=', round)
        .where('due_at', '>', latest)
        .execute(),

    /** Sessions that were last used between these times were used now. */
    sessions: (used: { last_used_at: string; expires_at: string }, after: string, before: string) =>
      tx
        .updateTable('sessions')
        .set(used)
        .where('last_used_at', '>', after)
        .where('last_used_at', '<', before)
        .execute(),

    /** Tries that failed between these times count no more. */
    failures: (after: string, before: string) =>
      tx.deleteFrom('failures').where('failed_at', '>', after).where('failed_at', '<', before).execute(),
  }
}
