/** Journeys of an organization in one environment that are not archived, all their versions, at most. */
export const MAX_JOURNEYS = 200;
