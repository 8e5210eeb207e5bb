import { lazyPart } from '#console/ui/lazy-part.tsx'

export const DestinationsTab = lazyPart(() => import('./destinations-tab.tsx'))
