import assert from 'node:assert/strict'
import test from 'node:test'
import { drawBars, drawCourse, drawGoals } from './charts.ts'
import { rowsOn } from './rows.ts'
import { spreadOf } from './statistics.ts'

const row = (id: string) => rowsOn('SQLite').find((one) => one.id === id)!

test('a bar is as long as its value, and its whisker goes from the least to the most', () => {
  const svg = drawBars({
    title: 'A & B',
    bars: [
      { name: 'ours', spread: spreadOf([50, 100, 75]), ours: true },
      { name: 'theirs', spread: spreadOf([37.5]), ours: false },
    ],
  })
  const lengths = [...svg.matchAll(/<rect class="(\w+)" .*?width="([\d.]+)"/g)].map(([, kind, width]) => [
    kind,
    Number(width),
  ])
  assert.deepEqual(lengths, [
    ['ours', 337.5],
    ['theirs', 168.8],
  ])
  assert.match(svg, /x1="425.0" x2="650.0"/)
  assert.match(svg, /aria-label="A &#38; B"/)
  assert.match(svg, /prefers-color-scheme: dark/)
})

test('a row at its goal reaches the middle, whether more or less of it is better', () => {
  const svg = drawGoals('Goals', [
    { row: row('batches'), value: 4 },
    { row: row('memory'), value: 150 },
    { row: row('memory'), value: 1_500 },
    { row: row('memory'), value: 200 },
  ])
  const bars = [...svg.matchAll(/<rect class="(\w+)" .*?width="([\d.]+)"/g)].map(([, kind, width]) => ({
    kind,
    width: Number(width),
  }))
  assert.deepEqual(bars.slice(0, 3), [
    { kind: 'goal', width: 225 },
    { kind: 'goal', width: 225 },
    { kind: 'below', width: 1 },
  ])
  assert.equal(bars[3]!.kind, 'floor')
})

test('a curve begins at its left and ends at its right', () => {
  const svg = drawCourse({ title: 'Memory', unit: 'MiB', values: [0, 50, 100], end: 'time' })
  assert.match(svg, /points="60.0,200.0 400.0,120.0 740.0,40.0"/)
})
