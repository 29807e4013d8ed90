/** The sources of a conversation; `outra` is named by a label. */
export const LINK_SOURCES = ['google', 'meta', 'tiktok', 'outra'] as const;

/** Where an inbound conversation came from (docs/spec/inbound.md#where-a-conversation-came-from); field names as on the wire. */
export interface LinkOrigin {
  readonly fonte: (typeof LINK_SOURCES)[number];
  /** The name of the source when `fonte` is `outra`. */
  readonly fonteRotulo?: string;
  readonly campanha?: string;
  readonly grupo?: string;
  readonly anuncio?: string;
  readonly palavraChave?: string;
  /** The short-link code found in the text. */
  readonly codigo?: string;
}
