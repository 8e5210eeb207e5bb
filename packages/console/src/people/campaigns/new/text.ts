import { wording } from '#console/core/language.ts'

export const newCampaign = wording('newCampaign', {
  title: 'Nueva campaña',
  back: 'Campañas',
})
