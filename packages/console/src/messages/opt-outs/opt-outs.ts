import { lazyPart } from '#console/ui/lazy-part.tsx'

export const OptOutsTab = lazyPart(() => import('./opt-outs-tab.tsx'))
