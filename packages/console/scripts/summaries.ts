import type { Plugin } from 'vite'

const SUMMARY = /\bsummary:\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")/g
const ERRORS = /\berrors:\s*\[[\s\w',]*\]/g

/**
 * Empties the contract's route summaries and lists of errors, which are for the API's own description: the console
 * never reads them.
 */
export function withoutSummaries(): Plugin {
  return {
    name: 'without-summaries',
    enforce: 'pre',
    apply: 'build',
    transform: {
      filter: { id: /packages\/contract\/src\/[\w/-]+\.ts$/ },
      handler: (code) => ({
        code: code.replace(SUMMARY, "summary: ''").replace(ERRORS, 'errors: []'),
        map: null,
      }),
    },
  }
}
