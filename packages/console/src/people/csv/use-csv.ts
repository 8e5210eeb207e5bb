import { useRef, useState } from 'react'
import { MAX_CSV_BYTES, type CsvFault, type CsvLayout, type CsvTable } from './csv.ts'

type Read = { name: string; bytes: Uint8Array; layout: CsvLayout; table: CsvTable | undefined }

/** Loaded with the first file. */
const loadReader = () => import('./reader.ts')

/** A CSV file that the user chose, read in the browser. */
export function useCsv({ onTable }: { onTable: () => void }) {
  const [read, setRead] = useState<Read>()
  const [fault, setFault] = useState<{ name: string; why: CsvFault; bytes: number }>()
  const [reading, setReading] = useState(false)
  /** The reading that counts: of two files, the one chosen last. */
  const turn = useRef(0)

  async function show(
    name: string,
    load: () => Promise<Omit<Read, 'name' | 'table'> | CsvFault>,
    size: number,
  ) {
    const mine = ++turn.current
    setReading(true)
    setFault(undefined)
    const loaded = await load().catch(() => 'unreadable' as const)
    const table =
      typeof loaded === 'string'
        ? loaded
        : await loadReader()
            .then(({ readTable }) => readTable(loaded.bytes, loaded.layout))
            .catch(() => 'unreadable' as const)
    if (mine !== turn.current) return
    setReading(false)
    if (typeof table === 'string') setFault({ name, why: table, bytes: size })
    // A file that was read stays, so that another layout can be tried.
    if (typeof loaded !== 'string')
      setRead({ name, ...loaded, table: typeof table === 'string' ? undefined : table })
    else setRead(undefined)
    if (typeof table !== 'string') onTable()
  }

  return {
    file: read,
    fault,
    reading,
    choose(file: File): void {
      void show(
        file.name,
        async () => {
          if (file.size > MAX_CSV_BYTES) return 'too_large'
          const { fileFault, guessLayout } = await loadReader()
          const bytes = new Uint8Array(await file.arrayBuffer())
          return fileFault(bytes) ?? { bytes, layout: await guessLayout(bytes) }
        },
        file.size,
      )
    },
    relayout(part: Partial<CsvLayout>): void {
      if (!read) return
      const { name, bytes, layout } = read
      void show(name, () => Promise.resolve({ bytes, layout: { ...layout, ...part } }), bytes.length)
    },
  }
}

export type Csv = ReturnType<typeof useCsv>
