import { defineTexts } from '../../app/texts.ts';

/** The texts of the drawing for screen readers. */
export const canvasTexts = defineTexts(
  {
    canvas: 'Desenho da jornada',
    flow: {
      'node.a11yDescription.default': 'Enter ou espaço escolhe o passo. Delete apaga. Escape cancela.',
      'node.a11yDescription.keyboardDisabled': 'Enter ou espaço escolhe o passo. Delete apaga. Escape cancela.',
      'edge.a11yDescription.default': 'Enter ou espaço escolhe a ligação. Delete apaga. Escape cancela.',
      'controls.ariaLabel': 'Controles do desenho',
      'controls.zoomIn.ariaLabel': 'Aproximar',
      'controls.zoomOut.ariaLabel': 'Afastar',
      'controls.fitView.ariaLabel': 'Mostrar tudo',
      'handle.ariaLabel': 'Ponto de ligação',
    },
  },
  {
    canvas: 'Drawing of the journey',
    flow: {
      'node.a11yDescription.default': 'Enter or space chooses the step. Delete removes it. Escape cancels.',
      'node.a11yDescription.keyboardDisabled': 'Enter or space chooses the step. Delete removes it. Escape cancels.',
      'edge.a11yDescription.default': 'Enter or space chooses the link. Delete removes it. Escape cancels.',
      'controls.ariaLabel': 'Controls of the drawing',
      'controls.zoomIn.ariaLabel': 'Zoom in',
      'controls.zoomOut.ariaLabel': 'Zoom out',
      'controls.fitView.ariaLabel': 'Show all',
      'handle.ariaLabel': 'Point to connect',
    },
  },
);
