import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vite'
import usual from './vite.config.ts'
import { pseudoLocale } from './test/pseudo-locale.ts'

/** The usual build in a language whose texts are marked. Nothing is compressed, as the stand-in serves files as they are. */
const plugins = (usual.plugins ?? []).filter(
  (plugin) => !(plugin && 'name' in plugin && plugin.name === 'precompress'),
)

export default defineConfig({ ...usual, plugins: [...plugins, pseudoLocale(), axe()] })

/** Adds axe as a file: loaded from there, a browser keeps it compiled. */
function axe(): Plugin {
  return {
    name: 'axe',
    async generateBundle() {
      const file = join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js')
      this.emitFile({ type: 'asset', fileName: 'assets/axe.js', source: await readFile(file) })
    },
  }
}
