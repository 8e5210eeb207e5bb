import { lazyPart } from '#console/ui/lazy-part.tsx'

export const CallbacksTab = lazyPart(() => import('./callbacks-tab.tsx'))
