import { rmSync } from 'node:fs'
import { rolldown } from 'rolldown'
import { bringUpToDate, type Build } from './built.ts'
import { ROOT } from './run.ts'

/** The program of the server, from the root. */
export const SERVER = 'packages/server/dist/main.js'

/** The program, and the modules that its threads load. */
export const ENTRIES = {
  main: 'packages/server/src/app/main.ts',
  'thread-program': 'packages/storage/src/sqlite/thread-program.ts',
  page: 'packages/server/src/insight/log/page.ts',
}

/**
 * The server's own modules as a few files of JavaScript. Node can run the sources too, but then it keeps its TypeScript
 * compiler and 600 modules in memory: 40 MiB. The packages in node_modules stay there.
 */
const BUILD: Build = {
  name: 'the server',
  folder: 'packages/server/dist',
  mark: 'main.js',
  sources: [
    'packages/{server,contract,sms,http,mqtt,storage}/src/**',
    'packages/{server,contract,sms,http,mqtt,storage}/package.json',
    'package-lock.json',
    'scripts/build-server.ts',
  ],
  async make(root, next) {
    rmSync(next, { recursive: true, force: true })
    const bundle = await rolldown({
      cwd: root,
      input: ENTRIES,
      platform: 'node',
      external: (id) => !/^[./#]|^@sdd\/|^packages\//.test(id),
    })
    await bundle.write({
      dir: next,
      format: 'esm',
      entryFileNames: '[name].js',
      // A thread finds what it runs by the name of its export.
      minifyInternalExports: false,
    })
    await bundle.close()
  },
}

/** Brings packages/server/dist up to date: see `bringUpToDate`. */
export function buildServer(): Promise<string> {
  return bringUpToDate(BUILD, ROOT)
}
