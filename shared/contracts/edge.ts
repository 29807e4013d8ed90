/** Headers that the edge sets on every request to a stage, overwriting a caller's: its secret, and the caller's address. */
export const EDGE_HEADERS = { secret: 'x-origin-secret', viewer: 'x-viewer-address' } as const;

/**
 * Variables of the gateway's stage: the accepted secrets of the edge, the current one and the next one during a rotation, so that the edge
 * can switch first.
 */
export const EDGE_VARIABLES = { current: 'originSecret', next: 'nextOriginSecret' } as const;
