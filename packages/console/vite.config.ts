import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { precompress } from './scripts/precompress.ts'
import { withoutSentences } from './scripts/sentences.ts'

const server = process.env.SERVER ?? 'http://127.0.0.1:8080'

/** Modules shared by some screens but not all. */
const SHARED =
  /src\/(accounts\/auth\/sign-out|core\/(drafts|live\/(?!connection|server-watch)|pages|query|use-role)|ui\/(ago|box|copy|density|fold|keys|lazy-part|marks|numbers|overlay|page|preference|search-field|skeleton|strip|time|toast|trouble-text|use-draft|use-media|use-search|rotate-text|close-button)[.-])|icons\/(book-user|send|smartphone|user-round|users)\.(m?js)$/

/** What the frame around every screen needs. */
const FRAME =
  /console\/src\/(accounts\/settings\/settings|app\/shell\/(live-line|menu|server-gone|text|who)|fleet\/devices\/devices|ui\/theme)\.tsx?$|contract\/src\/(accounts\/users|fleet\/(devices|tags))\.|icons\/(chevron-down|link-2|list|megaphone)\.m?js$/

/**
 * Chunks for modules that many screens share. By default the bundler makes one for each set of screens, at a few
 * hundred bytes each. The first screen has priority, so that it does not load the shared chunks.
 */
const groups = [
  { name: 'initial', tags: ['$initial' as const], priority: 1 },
  { name: 'query', test: /@tanstack\/(query-core|react-query)\/(?!.*(queriesObserver|useQueries))/ },
  { name: 'shared', test: SHARED },
  { name: 'frame', test: FRAME },
  { name: 'settings-text', test: /accounts\/settings\/(text|unsaved)\.tsx?$/ },
  { name: 'writing', test: /src\/(ui\/(use-left|gone-reason)|.*segments)\.tsx?$/ },
  {
    name: 'list',
    test: /@tanstack\/(react-virtual|virtual-core)\/|src\/ui\/(list-|row-)/,
  },
]

export default defineConfig({
  plugins: [react(), tailwindcss(), withoutSentences(), precompress()],
  resolve: {
    alias: {
      // React has it: this would bring the substitute for versions without.
      'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector',
    },
  },
  build: {
    // Keep light-dark(): compiling it for older browsers would double every colour.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    manifest: true,
    // The policy allows fonts and images from our own origin, but no data: fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: { groups },
        // The first screen has the names of all chunks, and hashes do not compress. The bundler allows no fewer than 7.
        entryFileNames: 'assets/[name]-[hash:7].js',
        chunkFileNames: 'assets/[name]-[hash:7].js',
      },
    },
  },
  server: {
    proxy: { '/api': server, '/mqtt': { target: server, ws: true } },
  },
})
