import type { Keeper, Outgoing, SendProgress } from '#agent/driver.ts'

/** A keeper and a send progress that record what a driver reports. */
type Notes = {
  readonly keeper: Keeper
  readonly progress: SendProgress
  readonly received: Parameters<Keeper['received']>[0][]
  readonly typed: Parameters<Keeper['typed']>[0][number][]
  readonly deliveries: Parameters<Keeper['delivery']>[0][]
  /** `on air`, `part 1/2 ref` */
  readonly steps: string[]
}

export function takeNotes({ refuses = false }: { refuses?: boolean } = {}): Notes {
  const notes: Notes = {
    received: [],
    typed: [],
    deliveries: [],
    steps: [],
    progress: {
      onAir() {
        if (refuses) return Promise.reject(new Error('the disk is full'))
        notes.steps.push('on air')
        return Promise.resolve()
      },
      partSent({ n, of, reference }) {
        notes.steps.push(`part ${n}/${of} ${reference}`)
        return Promise.resolve()
      },
    },
    keeper: {
      received(sms) {
        notes.received.push(sms)
        return Promise.resolve()
      },
      typedSince: () => Promise.resolve('2026-03-01T00:00:00.000Z'),
      typed(list) {
        notes.typed.push(...list)
        return Promise.resolve()
      },
      receivedPart: () => Promise.reject(new Error('a phone puts parts together itself')),
      delivery(report) {
        notes.deliveries.push(report)
        return Promise.resolve()
      },
      changed: () => undefined,
    },
  }
  return notes
}

export function outgoing(fields: Partial<Outgoing> = {}): Outgoing {
  return { guid: 'g1', attempt: 1, to: '+34600111222', text: 'Hola', ...fields }
}
