import { writeFileSync } from 'node:fs'
import { LICENCES_PAGE, licencesPage } from './licences.ts'
import { readLock } from './lock.ts'

/** `npm run licences`: writes docs/licences.md again. */
writeFileSync(LICENCES_PAGE, licencesPage(readLock()))
