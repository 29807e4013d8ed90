/** Journeys of an organization in one environment that are not archived, all their versions, at most. */
export const MAX_JOURNEYS = 200;
/** Bytes of the steps and links of a version as JSON, at most. */
export const MAX_GRAPH_BYTES = 1_000_000;
/** Bytes of the variables of a run as JSON, at most: with the events that it keeps, its row stays far below the 400 KB of DynamoDB. */
export const MAX_VARIABLES_BYTES = 16_384;
