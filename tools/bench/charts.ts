import { judge, type Row, shareOfGoal, type Verdict } from './rows.ts'
import { shown, type Spread } from './statistics.ts'

/** Colours for both themes: a picture follows the theme of its page. */
const STYLE = `<style>
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600 } .quiet { fill: #59636e } .line { stroke: #d1d9e0 } .mark { stroke: #1f2328 }
  .goal { fill: #1a7f37 } .floor { fill: #9a6700 } .below { fill: #cf222e } .ours { fill: #0969da }
  .theirs { fill: #818b98 } .path { fill: none; stroke: #0969da; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .quiet { fill: #9198a1 } .line { stroke: #3d444d } .mark { stroke: #f0f6fc }
    .goal { fill: #3fb950 } .floor { fill: #d29922 } .below { fill: #f85149 } .ours { fill: #4493f8 }
    .theirs { fill: #9198a1 } .path { stroke: #4493f8 }
  }
</style>`

const [WIDTH, NAMES, VALUES, STEP] = [760, 200, 110, 30]
const SPAN = WIDTH - NAMES - VALUES

/** Bars on one scale: each value, with the least and the most of its rounds. */
export function drawBars(needs: {
  title: string
  bars: readonly { name: string; spread: Spread; ours: boolean }[]
}): string {
  const { title, bars } = needs
  const most = Math.max(...bars.map(({ spread }) => spread.max))
  const x = (value: number) => NAMES + (value / most) * SPAN
  return picture(
    title,
    bars.map(({ name, spread, ours }, place) => {
      const y = top(place)
      return [
        label(name, y),
        bar(y, x(spread.median) - NAMES, ours ? 'ours' : 'theirs'),
        whisker(x(spread.min), x(spread.max), y),
        value(shown(spread.median), y),
      ].join('')
    }),
  )
}

/** The share of its goal that each row reaches, on a logarithmic scale from a tenth to ten times. */
export function drawGoals(title: string, lines: readonly { row: Row; value: number }[]): string {
  const x = (share: number) => NAMES + ((Math.log10(Math.min(10, Math.max(0.1, share))) + 1) / 2) * SPAN
  const verdicts: Verdict[] = lines.map(({ row, value }) => judge(row, value))
  const scale = [0.1, 1, 10].map(
    (share) =>
      `<line class="line" x1="${x(share)}" x2="${x(share)}" y1="34" y2="${top(lines.length)}"/>` +
      `<text class="quiet" text-anchor="middle" x="${x(share)}" y="${top(lines.length) + 16}">${share === 1 ? 'goal' : share === 10 ? '10 times better' : '10 times worse'}</text>`,
  )
  return picture(
    title,
    [
      ...lines.map(({ row, value: reached }, place) => {
        const y = top(place)
        const floor = x(shareOfGoal(row, row.floor))
        return [
          label(row.id, y),
          bar(y, x(shareOfGoal(row, reached)) - NAMES, verdicts[place]!),
          `<line class="mark" stroke-width="2" x1="${floor}" x2="${floor}" y1="${y}" y2="${y + 18}"/>`,
          value(`${shown(reached)} ${row.unit}`, y),
        ].join('')
      }),
      ...scale,
    ],
    26,
    lines.length,
  )
}

/** One value over time, from zero. */
export function drawCourse(needs: {
  title: string
  unit: string
  values: readonly number[]
  end: string
}): string {
  const { title, unit, values, end } = needs
  const [height, left] = [160, 60]
  const most = Math.max(...values)
  const x = (place: number) => left + (place / Math.max(1, values.length - 1)) * (WIDTH - left - 20)
  const y = (value: number) => 40 + height - (value / most) * height
  const points = values.map((value, place) => `${x(place).toFixed(1)},${y(value).toFixed(1)}`).join(' ')
  const grid = [0, most / 2, most].map(
    (value) =>
      `<line class="line" x1="${left}" x2="${WIDTH - 20}" y1="${y(value)}" y2="${y(value)}"/>` +
      `<text class="quiet" text-anchor="end" x="${left - 8}" y="${y(value) + 4}">${shown(value)}</text>`,
  )
  return frame(
    `${title} (${unit})`,
    [
      ...grid,
      `<polyline class="path" points="${points}"/>`,
      text(end, WIDTH - 20, 40 + height + 18, 'end'),
    ].join(''),
    height + 70,
  )
}

const top = (place: number) => 38 + place * STEP

function picture(title: string, parts: readonly string[], below = 4, lines = parts.length): string {
  return frame(title, parts.join('\n'), top(lines) + below)
}

function frame(title: string, inside: string, height: number): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">
${STYLE}
<text x="0" y="18" class="title">${escaped(title)}</text>
${inside}
</svg>
`
}

function label(name: string, y: number): string {
  return text(name, NAMES - 10, y + 13, 'end')
}

function value(words: string, y: number): string {
  return `<text x="${WIDTH - VALUES + 10}" y="${y + 13}">${escaped(words)}</text>`
}

function text(words: string, x: number, y: number, anchor: 'end' | 'start'): string {
  return `<text class="quiet" text-anchor="${anchor}" x="${x}" y="${y}">${escaped(words)}</text>`
}

function bar(y: number, length: number, kind: string): string {
  return `<rect class="${kind}" x="${NAMES}" y="${y}" width="${Math.max(1, length).toFixed(1)}" height="18" rx="2"/>`
}

function whisker(from: number, to: number, y: number): string {
  return `<line class="mark" x1="${from.toFixed(1)}" x2="${to.toFixed(1)}" y1="${y + 9}" y2="${y + 9}"/>`
}

function escaped(words: string): string {
  return words.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
