import { lazyPart } from '#console/core/language.ts'

export const ApiKeysTab = lazyPart(() => import('./api-keys-tab.tsx'))
