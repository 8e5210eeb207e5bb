import type { Plugin } from 'vite'

const SUMMARY = /\bsummary:\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")/g
const ERRORS = /\berrors:\s*\[[\s\w',]*\]/g
/** The schemas say `must be …` or `is …` about a value. */
const FAULT = /'(?:must|is) (?:[^'\\]|\\.)*'/g

/**
 * Empties the contract's route summaries, lists of errors and sentences about invalid fields, which are for the API: the
 * console never reads them, since it words codes itself.
 */
export function withoutSentences(): Plugin {
  return {
    name: 'without-sentences',
    enforce: 'pre',
    apply: 'build',
    transform: {
      filter: { id: /packages\/contract\/src\/[\w/-]+\.ts$/ },
      handler: (code) => ({
        code: code.replace(SUMMARY, "summary: ''").replace(ERRORS, 'errors: []').replace(FAULT, "''"),
        map: null,
      }),
    },
  }
}
