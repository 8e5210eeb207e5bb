import { findBreaches } from '../lint/areas.ts'
import { findLongSentences, findPhrases } from '../lint/prose.ts'
import { ROOT, runInstalled } from './run.ts'

/** `npm run check`: types, lint, areas, prose, format. With `--fix`, lint and format fix what they safely can. */
const fix = process.argv.includes('--fix')

const checks = {
  types: async () =>
    (await runInstalled('typescript/bin/tsc', ['-p', '.'])) +
    (await runInstalled('typescript/bin/tsc', ['-p', 'packages/console'])),
  lint: () => runInstalled('oxlint/bin/oxlint', fix ? ['--fix'] : []),
  areas: async () => {
    const breaches = findBreaches(ROOT)
    for (const { rule, place } of breaches) console.error(`${place}\n  ${rule}`)
    return breaches.length
  },
  prose: async () => {
    const found = [...findPhrases(ROOT), ...findLongSentences(ROOT)]
    for (const { place, phrase, instead } of found) console.error(`${place}\n  “${phrase}”: ${instead}`)
    return found.length
  },
  format: () => runInstalled('oxfmt/bin/oxfmt', fix ? [] : ['--check']),
}

const failed: string[] = []
for (const [name, check] of Object.entries(checks)) {
  console.log(`check: ${name}`)
  if ((await check()) !== 0) failed.push(name)
}

if (failed.length === 0) {
  console.log('check: all is well')
} else {
  console.error(`check: failed: ${failed.join(', ')}`)
  if (!fix)
    console.error('`npm run check -- --fix` formats, and fixes what lint can safely fix; the rest is above.')
  process.exitCode = 1
}
