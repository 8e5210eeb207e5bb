import { useMemo, useState } from 'react'
import { useLanguage } from '#console/core/language.ts'
import { extraColumns, type ExtraColumn } from './search.ts'
import { deviceColumns } from './device-columns.tsx'
import { devices as words } from './text.ts'
import type { Density } from '#console/ui/density.tsx'
import { useMedia } from '#console/ui/use-media.ts'

const KEY = 'devices-columns'

/**
 * The columns, with those that the user added. Until the user chooses, the wording of the specification has its columns
 * only, and a chosen language all.
 */
export function useColumns(manages: boolean, density: Density) {
  const language = useLanguage()
  const [chosen, setChosen] = useState(readChosen)
  const hasWords = useMedia('(min-width: 1200px)')
  const hasAllWords = useMedia('(min-width: 1600px)')
  // Otherwise a table has no room for more columns. A card has.
  const fits = useMedia('(min-width: 1366px), (max-width: 999px)')
  const extras = chosen ?? (language ? extraColumns : NONE)
  const roomy = hasAllWords || (hasWords && extras.length < 2)
  const shown = fits ? extras : NONE
  // New column objects would redraw every row. The labels are another object in another language.
  const { columns: labels } = words
  const compact = density === 'compact'
  const columns = useMemo(
    () => deviceColumns({ labels, manages, roomy, compact, extras: shown }),
    [labels, manages, roomy, compact, shown],
  )

  function choose(next: ExtraColumn[]): void {
    localStorage.setItem(KEY, next.join())
    setChosen(next)
  }

  return { columns, extras, choose }
}

const NONE: readonly ExtraColumn[] = []

function readChosen(): readonly ExtraColumn[] | undefined {
  const kept = localStorage.getItem(KEY)?.split(',')
  return kept && extraColumns.filter((column) => kept.includes(column))
}
