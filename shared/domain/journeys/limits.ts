/** Maximum journeys of an organization in one environment that are not archived, counting all versions. */
export const MAX_JOURNEYS = 200;
/** Maximum size of a version's steps and links as JSON, in bytes. */
export const MAX_GRAPH_BYTES = 1_000_000;
/** Maximum size of a run's variables as JSON, in bytes: with the events that it keeps, its row stays far below DynamoDB's 400 KB. */
export const MAX_VARIABLES_BYTES = 16_384;
