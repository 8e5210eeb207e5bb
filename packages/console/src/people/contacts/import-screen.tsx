import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { CsvSource } from '#console/people/csv/csv-source.tsx'
import { csv as csvWords } from '#console/people/csv/text.ts'
import { useCsv } from '#console/people/csv/use-csv.ts'
import { contactImport as words } from './import-text.ts'
import { Box } from '#console/ui/box.tsx'
import { buttonLook } from '#console/ui/button.tsx'
import { Page } from '#console/ui/page.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'

const ImportSteps = lazyPart(() => import('./import-steps.tsx'))

/** Imports contacts from a CSV file, which is read here and sent in calls. */
export function ImportScreen() {
  // Each reading begins again with guesses: the columns may be others.
  const [reading, setReading] = useState(0)
  const csv = useCsv({ onTable: () => setReading((now) => now + 1) })
  const table = csv.file?.table
  return (
    <Page
      title={words.title}
      beside={
        <Link to="/contacts" className={`ml-auto max-md:hidden ${buttonLook()}`}>
          {words.back}
        </Link>
      }
    >
      <div className="relative min-h-0 flex-1 overflow-y-auto px-6 pb-6 max-md:px-3 max-md:py-3">
        <div className="flex max-w-4xl flex-col gap-4">
          <p className="text-muted">{words.intro}</p>
          <Box title={csvWords.file}>
            <CsvSource csv={csv} />
          </Box>
          {table && (
            <Suspense fallback={<Skeleton kind="form" />}>
              <ImportSteps key={reading} table={table} />
            </Suspense>
          )}
        </div>
      </div>
    </Page>
  )
}
