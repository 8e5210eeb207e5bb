import { apiKeyRoutes } from '#server/accounts/api-keys/routes.ts'
import { auditRoutes } from '#server/accounts/audit/routes.ts'
import { authRoutes } from '#server/accounts/auth/routes.ts'
import { quotaRoutes } from '#server/accounts/quotas/routes.ts'
import { settingsRoutes } from '#server/accounts/settings/routes.ts'
import { userRoutes } from '#server/accounts/user-editing/routes.ts'
import type { Serve } from '#server/core/http/serve.ts'
import { agentRoutes } from '#server/fleet/agents/routes.ts'
import { deviceRoutes } from '#server/fleet/devices/routes.ts'
import { orderRoutes } from '#server/fleet/orders/routes.ts'
import { simRoutes } from '#server/fleet/sims/routes.ts'
import { companyRouteRoutes } from '#server/fleet/routes/routes.ts'
import { routeTrialRoutes } from '#server/dispatch/route-trial/routes.ts'
import { linkingRoutes } from '#server/fleet/linking/routes.ts'
import { brokerHookRoutes } from '#server/fleet/transport/routes.ts'
import { dashboardRoutes } from '#server/insight/dashboard/routes.ts'
import { logRoutes } from '#server/insight/log/routes.ts'
import { madeByUserRoutes } from '#server/insight/made-by-user.ts'
import { destinationRoutes } from '#server/messages/destinations/routes.ts'
import { keywordRoutes } from '#server/messages/keywords/routes.ts'
import { messageRoutes } from '#server/messages/messages/routes.ts'
import { optOutRoutes } from '#server/messages/opt-outs/routes.ts'
import { alertRoutes } from '#server/outward/alerts/routes.ts'
import { callbackRoutes } from '#server/outward/callbacks/routes.ts'
import { campaignRoutes } from '#server/people/campaigns/routes.ts'
import { contactRoutes } from '#server/people/contacts/routes.ts'
import { templateRoutes } from '#server/people/templates/routes.ts'
import { conversationRoutes } from '#server/people/conversations/routes.ts'
import { taskRoutes } from '#server/tasks/routes.ts'

const features = [
  authRoutes,
  userRoutes,
  apiKeyRoutes,
  settingsRoutes,
  quotaRoutes,
  auditRoutes,
  deviceRoutes,
  agentRoutes,
  linkingRoutes,
  orderRoutes,
  simRoutes,
  companyRouteRoutes,
  routeTrialRoutes,
  brokerHookRoutes,
  messageRoutes,
  optOutRoutes,
  keywordRoutes,
  destinationRoutes,
  taskRoutes,
  contactRoutes,
  templateRoutes,
  conversationRoutes,
  campaignRoutes,
  callbackRoutes,
  alertRoutes,
  logRoutes,
  dashboardRoutes,
  madeByUserRoutes,
] as const

/** Serves every route of the contract. */
export function serveRoutes(serve: Serve, needs: RouteNeeds<Feature>): void {
  for (const addRoutes of features) addRoutes(serve, needs)
}

/** The intersection of the features' needs. */
type RouteNeeds<Routes> = (
  Routes extends (serve: Serve, needs: infer Needs) => void ? (needs: Needs) => void : never
) extends (needs: infer All) => void
  ? All
  : never
type Feature = (typeof features)[number]
