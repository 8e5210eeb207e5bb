import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { precompress } from './scripts/precompress.ts'
import { withoutSummaries } from './scripts/summaries.ts'

const server = process.env.SERVER ?? 'http://127.0.0.1:8080'

export default defineConfig({
  plugins: [react(), tailwindcss(), withoutSummaries(), precompress()],
  build: {
    // light-dark() as it is: older browsers would need every colour twice.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    manifest: true,
    // The policy allows fonts and pictures of our own origin, not data: fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: { '/api': server, '/mqtt': { target: server, ws: true } },
  },
})
