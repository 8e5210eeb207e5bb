import { lazyPart } from '#console/ui/lazy-part.tsx'

export const ApiKeysTab = lazyPart(() => import('./api-keys-tab.tsx'))
