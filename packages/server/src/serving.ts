import { apiKeyRoutes } from './api-keys/routes.ts'
import { auditRoutes } from './audit/routes.ts'
import { authRoutes } from './auth/routes.ts'
import { callbackRoutes } from './callbacks/routes.ts'
import type { Serve } from './core/http/serve.ts'
import { dashboardRoutes } from './dashboard/routes.ts'
import { destinationRoutes } from './destinations/routes.ts'
import { brokerHookRoutes } from './devices/at-broker/routes.ts'
import { linkingRoutes } from './devices/linking-routes.ts'
import { deviceRoutes } from './devices/routes.ts'
import { madeByUserRoutes } from './insight/made-by-user.ts'
import { logRoutes } from './messages/log/routes.ts'
import { messageRoutes } from './messages/routes.ts'
import { optOutRoutes } from './opt-outs/routes.ts'
import { quotaRoutes } from './quotas/routes.ts'
import { settingsRoutes } from './settings/routes.ts'
import { taskRoutes } from './tasks/routes.ts'
import { userRoutes } from './users/routes.ts'

const features = [
  authRoutes,
  userRoutes,
  apiKeyRoutes,
  settingsRoutes,
  quotaRoutes,
  auditRoutes,
  deviceRoutes,
  linkingRoutes,
  brokerHookRoutes,
  messageRoutes,
  optOutRoutes,
  destinationRoutes,
  taskRoutes,
  callbackRoutes,
  logRoutes,
  dashboardRoutes,
  madeByUserRoutes,
] as const

/** Every route of the contract, with what each feature answers. */
export function serveRoutes(serve: Serve, needs: NeedsOf<Feature>): void {
  for (const addRoutes of features) addRoutes(serve, needs)
}

/** What the features ask for together. */
type NeedsOf<Routes> = (
  Routes extends (serve: Serve, needs: infer Needs) => void ? (needs: Needs) => void : never
) extends (needs: infer All) => void
  ? All
  : never
type Feature = (typeof features)[number]
