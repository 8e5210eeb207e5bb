import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { main, ROOT } from '../../scripts/run.ts'
import { readLock } from './lock.ts'
import { makeSbom } from './sbom.ts'

/** `npm run sbom [-- path]`: writes the product's components as CycloneDX JSON. */
await main(async () => {
  const [path = join(ROOT, 'dist/sbom.cdx.json')] = process.argv.slice(2)
  const sbom = makeSbom(readLock())
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(sbom, null, 2)}\n`)
  console.log(`sbom: ${sbom.components.length} components in ${path}`)
})
