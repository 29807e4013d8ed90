/** Journeys of an organization in one environment that are not archived, all their versions, at most. */
export const MAX_JOURNEYS = 200;

/** The steps and links of a journey as JSON, in bytes, at most: they are stored in one transaction, which takes 4 MB. */
export const MAX_GRAPH_BYTES = 3 * 1024 * 1024;
