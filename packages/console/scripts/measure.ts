/**
 * Prints measurements of the build in `dist` next to their budgets, as a table for docs/console.md. Arguments such as
 * `scroll` name the parts to run; without any, all run. Exits with 1 if bytes or mounted rows are over budget: these
 * are the same on every machine, times are not.
 */
import { availableParallelism, cpus } from 'node:os'
import type { Browser } from 'playwright-core'
import { openBrowser } from '#test/browser.ts'
import type { Measurement } from './timing/figure.ts'
import { countFindings } from './timing/findings.ts'
import { measureFleet } from './timing/fleet.ts'
import { measureScroll } from './timing/scroll.ts'
import { measureStart } from './timing/start.ts'
import { weigh } from './weigh.ts'

/**
 * A part that takes longer on a slow machine is skipped. The axe findings get more time: they take minutes on any
 * machine.
 */
const WITHIN_MS = 30_000

const parts: Record<string, () => Promise<Measurement[]>> = {
  bytes: weighAll,
  start: () => inBrowser(measureStart, WITHIN_MS),
  scroll: () => inBrowser(measureScroll, WITHIN_MS),
  fleet: () => inBrowser(measureFleet, WITHIN_MS),
  axe: () => inBrowser(countFindings, 40 * WITHIN_MS),
}

const wanted = process.argv.slice(2)
const unknown = wanted.find((name) => !(name in parts))
if (unknown !== undefined) {
  console.error(`Unknown part ${unknown}. Use ${Object.keys(parts).join(', ')}`)
  process.exit(1)
}
const [cpu] = cpus()
const today = new Date().toISOString().slice(0, 10)
console.log(`${today}, ${availableParallelism()} × ${cpu?.model.trim()}, Node ${process.versions.node}\n`)
console.log('| what | measured | budget | |\n| --- | ---: | ---: | --- |')
for (const [name, measure] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  for (const figure of await measure()) print(figure)
}
process.exit()

async function weighAll(): Promise<Measurement[]> {
  return (await weigh()).map(({ what, bytes, budget }) => {
    const name = what.startsWith('/')
      ? `JavaScript and CSS of \`${what}\``
      : `${what[0]!.toUpperCase()}${what.slice(1)}`
    return { what: name, figure: bytes / 1000, budget: budget / 1000, unit: 'kB', binds: true }
  })
}

/** Each part gets its own browser, so that its leftovers do not slow the next one. */
async function inBrowser(
  measure: (browser: Browser) => Promise<Measurement[]>,
  withinMs: number,
): Promise<Measurement[]> {
  const browser = await openBrowser()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Measurement[]>((resolve) => {
    timer = setTimeout(() => {
      console.error(`Not measured within ${withinMs / 1000} s`)
      resolve([])
    }, withinMs)
  })
  const measured = measure(browser)
  // After a timeout, the part fails once its browser closes; ignore that error.
  measured.catch(() => {})
  const figures = await Promise.race([measured, late])
  clearTimeout(timer)
  await browser.close()
  return figures
}

function print({ what, figure, budget, unit, binds }: Measurement): void {
  console.log(
    `| ${what} | ${format(figure, unit)} | ${format(budget, unit)} | ${figure > budget ? 'over' : ''} |`,
  )
  if (binds && figure > budget) process.exitCode = 1
}

function format(figure: number, unit: Measurement['unit']): string {
  const digits = unit === 'kB' || (unit === 'ms' && figure < 10) ? 1 : 0
  return `${figure.toFixed(digits)} ${unit}`.trim()
}
