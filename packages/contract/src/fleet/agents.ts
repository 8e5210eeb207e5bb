import * as z from 'zod/mini'
import { route } from '@sdd/contract/core/route.ts'

/** The devices that report one program in one version. */
export const AgentVersion = z.object({
  /** As the devices report it; null: they never did. */
  agent: z.nullable(z.string()),
  /** The version of our agent; null for other programs. */
  version: z.nullable(z.string()),
  devices: z.int(),
  connected: z.int(),
  /** Our agent, in an older version than `newest`. */
  older: z.boolean(),
})
export type AgentVersion = z.infer<typeof AgentVersion>

/** The changes of a release that concern the agent, each in plain text. */
export const AgentRelease = z.object({
  version: z.string(),
  /** The day of the release; null: not released yet. */
  date: z.nullable(z.string()),
  changes: z.array(z.string()),
})
export type AgentRelease = z.infer<typeof AgentRelease>

export const AgentVersions = z.object({
  /** The version of the server's own release. */
  newest: z.string(),
  agents: z.array(AgentVersion),
  releases: z.array(AgentRelease),
})
export type AgentVersions = z.infer<typeof AgentVersions>

export const readAgents = route('GET /api/agents', {
  summary:
    "The agents of the company's devices by version, most devices first, and the agent's changes by release, newest first.",
  reply: AgentVersions,
})
