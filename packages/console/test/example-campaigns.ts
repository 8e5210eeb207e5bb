import type { StandIn } from './stand-in.ts'

export function campaignAnswers(): StandIn['answers'] {
  return { 'GET /api/campaigns': { body: { campaigns: [], next_cursor: null } } }
}
