import { parseArgs } from 'node:util'
import { fuzz } from './fuzz.ts'
import { findTarget, targets } from './targets.ts'
import { playModel } from './model.ts'
import { main } from '../../scripts/run.ts'

/**
 * `npm run fuzz -- [target …] [--seconds 60] [--seed n]`: feeds mutated bytes to the code that reads untrusted input,
 * guided by the code they reach, for this long per target. `model` plays random events on the rules and on their model.
 * A finding is stored with the test fixtures, where the tests repeat it. Status 1 if there is one.
 */
async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string' } },
  })
  const seconds = Number(values.seconds)
  const seed = Number(values.seed ?? Math.trunc(Math.random() * 2 ** 31))
  if (!(seconds > 0) || !Number.isInteger(seed)) throw new Error('--seconds and --seed are numbers')
  const names = positionals.length > 0 ? positionals : ['model', ...targets.map(({ name }) => name)]
  for (const name of names) if (name !== 'model') findTarget(name)
  console.log(`fuzz: ${names.join(', ')}: ${seconds} s each, seed ${seed}`)
  let found = 0
  for (const name of names) {
    found += await (name === 'model'
      ? playModel({ seconds, seed })
      : fuzz(findTarget(name), { seconds, seed }))
  }
  console.log(found === 0 ? 'fuzz: nothing was found' : `fuzz: ${found} findings`)
  return found === 0 ? 0 : 1
}

await main(() => run(process.argv.slice(2)))
