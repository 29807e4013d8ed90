/** Headers that the edge sets on every request to a stage, over what a caller sent: its proof, and the address of the caller. */
export const EDGE_HEADERS = { secret: 'x-origin-secret', viewer: 'x-viewer-address' } as const;

/**
 * Variables of the gateway's stage: the secrets that the edge may prove itself with, the current one and the one that a rotation changes to,
 * so that the edge can change first.
 */
export const EDGE_VARIABLES = { current: 'originSecret', next: 'nextOriginSecret' } as const;
