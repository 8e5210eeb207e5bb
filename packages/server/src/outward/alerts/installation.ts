import { listBackups, madeAt } from '@sdd/storage/sqlite/backup.ts'
import type { AlertCondition } from '@sdd/contract/outward/alerts.ts'
import { type Clock, DAY_MS, HOUR_MS, instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import type { AlertFacts } from './details.ts'
import type { AlertRuleRow } from './store.ts'
import { firstStart } from './subjects.store.ts'

/** What alerts see of the installation. */
export type Installation = {
  /** Undefined over PostgreSQL, whose backups and disk are not the server's. */
  backup_folder: string | undefined
  freeBytes(): number | undefined
  /** When the certificate in use expires, in ms; undefined without one. */
  certificateExpires(): number | undefined
}

type Needs = { tx: Tx; clock: Clock; installation: Installation }

const MIB = 1_048_576

/** The installation if the rule's condition holds for it. */
export async function findInstallation(needs: Needs, { condition, value }: AlertRuleRow) {
  const facts = await conditions[condition]?.(needs, value!)
  return facts === undefined
    ? []
    : [{ subject: { kind: 'installation' as const, id: 'installation', name: null }, facts }]
}

type Check = (needs: Needs, value: number) => Promise<AlertFacts | undefined> | AlertFacts | undefined

const conditions: Partial<Record<AlertCondition, Check>> = {
  async backup_age({ tx, clock, installation }, hours) {
    const { backup_folder } = installation
    if (backup_folder === undefined) return undefined
    const now_ms = clock.now()
    const newest = listBackups(backup_folder)
      .map(madeAt)
      .find((ms) => ms <= now_ms)
    const since_ms = newest ?? Date.parse((await firstStart(tx)) ?? instant(now_ms))
    if (now_ms - since_ms < hours * HOUR_MS) return undefined
    return { at: newest === undefined ? null : instant(newest) }
  },
  disk_short({ installation }, mib) {
    const free = installation.freeBytes()
    return free === undefined || free >= mib * MIB ? undefined : { free: Math.floor(free / MIB) }
  },
  certificate_expires({ clock, installation }, days) {
    const at_ms = installation.certificateExpires()
    if (at_ms === undefined || at_ms - clock.now() > days * DAY_MS) return undefined
    return { at: instant(at_ms) }
  },
}
