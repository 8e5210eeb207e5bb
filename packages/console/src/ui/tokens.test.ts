import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const css = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8')
const colors = new Map(
  [...css.matchAll(/--color-([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }],
  ),
)

/** Each text colour, with its possible backgrounds. */
const texts: Record<string, string[]> = {
  ink: ['bg', 'panel', 'sunken', 'flash', 'bad-bg', 'info-bg'],
  muted: ['bg', 'panel', 'sunken', 'flash', 'bad-bg', 'info-bg'],
  faint: ['bg', 'panel', 'sunken'],
  link: ['panel'],
  'rail-ink': ['rail', 'rail-active'],
  'rail-muted': ['rail'],
  'on-accent': ['accent'],
  'on-primary': ['primary'],
  ok: ['ok-bg', 'panel', 'sunken', 'info-bg'],
  bad: ['bad-bg', 'panel', 'sunken', 'info-bg'],
  info: ['info-bg', 'panel', 'sunken'],
  warn: ['warn-bg', 'panel', 'sunken', 'info-bg'],
  off: ['off-bg', 'panel', 'sunken'],
}

/** Visible parts that are not text: edges of controls, marks, the focus. */
const parts: Record<string, string[]> = {
  'line-strong': ['panel'],
  'ok-solid': ['panel'],
  'bad-solid': ['panel'],
  focus: ['bg', 'panel', 'sunken'],
}

for (const theme of ['light', 'dark'] as const) {
  for (const [least, pairs] of [
    [4.5, texts],
    [3, parts],
  ] as const) {
    for (const [front, grounds] of Object.entries(pairs)) {
      for (const ground of grounds) {
        test(`${front} on ${ground} has a contrast of at least ${least} (${theme})`, () => {
          const ratio = contrast(colorOf(front, theme), colorOf(ground, theme))
          assert.ok(ratio >= least, ratio.toFixed(2))
        })
      }
    }
  }
}

function colorOf(name: string, theme: 'light' | 'dark'): string {
  const color = colors.get(name)
  assert.ok(color, `tokens.css has no ${name}`)
  return color[theme]
}

/** The contrast ratio of two colours by WCAG 2.2. */
function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
