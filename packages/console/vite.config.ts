import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { precompress } from './scripts/precompress.ts'
import { withoutSummaries } from './scripts/summaries.ts'

const server = process.env.SERVER ?? 'http://127.0.0.1:8080'

/** What only some screens share. */
const SHARED =
  /src\/(core\/(live|pages|query|use-role)|ui\/(ago|box|copy|density|keys|numbers|over|page|preference|search-field|skeleton|time|toast|use-draft|use-media|use-search|rotate-text|record-list|close-button)[.-])/

/**
 * Chunks for the parts that many screens share: left alone, the bundler makes one for each set of screens, and each costs
 * a few hundred bytes. The first screen's own part comes first, so that it takes nothing of the others with it.
 */
const groups = [
  { name: 'initial', tags: ['$initial' as const], priority: 1 },
  { name: 'query', test: /@tanstack\/(query-core|react-query)\// },
  { name: 'frame', test: SHARED },
  { name: 'list', test: /@tanstack\/(react-virtual|virtual-core)\/|src\/ui\/(list-|row-)/ },
]

export default defineConfig({
  plugins: [react(), tailwindcss(), withoutSummaries(), precompress()],
  build: {
    // light-dark() as it is: older browsers would need every colour twice.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    manifest: true,
    // The policy allows fonts and pictures of our own origin, not data: fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
  server: {
    proxy: { '/api': server, '/mqtt': { target: server, ws: true } },
  },
})
