/**
 * Prints every budget of the console beside what the build in `dist` measures, as a table for docs/console.md. Exits 1
 * where bytes or mounted rows are over: those are the same on every machine; times are not.
 */
import { availableParallelism, cpus } from 'node:os'
import { openBrowser } from '#test/browser.ts'
import type { Figure } from './timing/figure.ts'
import { countFindings } from './timing/findings.ts'
import { measureFleet } from './timing/fleet.ts'
import { measureScroll } from './timing/scroll.ts'
import { measureStart } from './timing/start.ts'
import { weigh } from './weigh.ts'

const [cpu] = cpus()
const today = new Date().toISOString().slice(0, 10)
console.log(`${today}, ${availableParallelism()} × ${cpu?.model.trim()}, Node ${process.versions.node}\n`)
console.log('| what | measured | budget | |\n| --- | ---: | ---: | --- |')
for (const { what, bytes, budget } of await weigh()) {
  const name = what === 'fonts' ? 'Fonts' : `JavaScript and CSS of \`${what}\``
  print({ what: name, figure: bytes / 1000, budget: budget / 1000, unit: 'kB', binds: true })
}
for (const measure of [measureStart, measureScroll, measureFleet, countFindings]) {
  // Each in a browser of its own: what one leaves behind does not slow the next.
  const browser = await openBrowser()
  for (const figure of await measure(browser)) print(figure)
  await browser.close()
}

function print({ what, figure, budget, unit, binds }: Figure): void {
  console.log(
    `| ${what} | ${said(figure, unit)} | ${said(budget, unit)} | ${figure > budget ? 'over' : ''} |`,
  )
  if (binds && figure > budget) process.exitCode = 1
}

function said(figure: number, unit: Figure['unit']): string {
  const digits = unit === 'kB' || (unit === 'ms' && figure < 10) ? 1 : 0
  return `${figure.toFixed(digits)} ${unit}`.trim()
}
