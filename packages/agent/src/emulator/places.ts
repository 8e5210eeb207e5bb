/** A message in a storage: 0 received and unread, 1 read, 2 and 3 written by the phone itself. */
export type Kept = { index: number; status: number; pdu: string; atLength: number }

/** The storages of a modem, by name: `SM` on the SIM, `ME` in the modem, `SR` for reports. */
export type Places = {
  total: (storage: string) => number
  list: (storage: string) => Kept[]
  at: (storage: string, index: number) => Kept | undefined
  /** Stores it in the first free slot; undefined if there is none. */
  put: (storage: string, message: Omit<Kept, 'index'>) => Kept | undefined
  /** False if the slot is empty. */
  remove: (storage: string, index: number) => boolean
}

export function openPlaces(totals: Readonly<Record<string, number>>, first: number): Places {
  const storages = new Map<string, Map<number, Kept>>()

  function storageOf(storage: string): Map<number, Kept> {
    const kept = storages.get(storage) ?? new Map<number, Kept>()
    storages.set(storage, kept)
    return kept
  }

  return {
    total: (storage) => totals[storage] ?? 0,
    list: (storage) => [...storageOf(storage).values()].sort((a, b) => a.index - b.index),
    at: (storage, index) => storageOf(storage).get(index),
    put(storage, message) {
      const kept = storageOf(storage)
      for (let index = first; index < first + (totals[storage] ?? 0); index++) {
        if (kept.has(index)) continue
        const place = { index, ...message }
        kept.set(index, place)
        return place
      }
      return undefined
    },
    remove: (storage, index) => storageOf(storage).delete(index),
  }
}
