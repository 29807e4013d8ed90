import { NODE } from './layout.ts';

interface Place {
  readonly x: number;
  readonly y: number;
}
export interface Size {
  readonly width: number;
  readonly height: number;
}
/** A part of the drawing: where its origin is in the canvas, in pixels, and its scale. */
export interface Viewport extends Place {
  readonly zoom: number;
}

/** The least scale at which the whole of a journey is of use. */
export const MIN_ZOOM = 0.5;
/** The scale of the beginning of a longer one, whose steps are to be read. */
export const READABLE_ZOOM = 0.65;
/** Free space around the drawing, as a part of the canvas. */
export const PADDING = 0.15;

/** The part of a drawing that is shown at first: all of it if that is large enough, else its beginning, with this step at the top. */
export const firstViewport = (places: ReadonlyMap<string, Place>, start: string, { width, height }: Size): Viewport => {
  const first = places.get(start);
  if (!first) return { x: 0, y: 0, zoom: 1 };
  const [xs, ys] = [[...places.values()].map(({ x }) => x), [...places.values()].map(({ y }) => y)];
  const [left, right] = [Math.min(...xs), Math.max(...xs) + NODE.width];
  const [top, bottom] = [Math.min(...ys), Math.max(...ys) + NODE.height];
  const room = 1 - PADDING;
  const zoom = Math.min(1, (width * room) / (right - left), (height * room) / (bottom - top));
  if (zoom >= MIN_ZOOM)
    return { x: width / 2 - (zoom * (left + right)) / 2, y: height / 2 - (zoom * (top + bottom)) / 2, zoom };
  return {
    x: width / 2 - READABLE_ZOOM * (first.x + NODE.width / 2),
    y: (height * PADDING) / 2 - READABLE_ZOOM * first.y,
    zoom: READABLE_ZOOM,
  };
};

/** Whether any of a step is in the part that is shown. */
export const isInView = ({ x, y }: Place, { width, height }: Size, view: Viewport): boolean => {
  const [left, top] = [view.x + x * view.zoom, view.y + y * view.zoom];
  return left < width && left + NODE.width * view.zoom > 0 && top < height && top + NODE.height * view.zoom > 0;
};
