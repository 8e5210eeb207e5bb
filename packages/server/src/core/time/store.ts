import type { Channel } from '@sdd/storage/database.ts'

/** Reads the database's own clock, in milliseconds since 1970. */
export function timeStore({ ask }: Pick<Channel, 'ask'>) {
  return {
    askTime: async (): Promise<number> => {
      const [row] = await ask<{ ms: number }>('select extract(epoch from clock_timestamp()) * 1000 as ms')
      return row!.ms
    },
  }
}
