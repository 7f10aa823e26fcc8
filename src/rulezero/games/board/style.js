// The board's colours and shapes, in its shadow.

export const style = `
:host { display: block; position: relative; contain: paint; user-select: none; -webkit-user-select: none;
  --light: var(--rz-light, #f0e5d0); --dark: var(--rz-dark, #bd9c77); --last: var(--rz-last, #e8c53a);
  --accent: var(--rz-accent, #2563c9); --name: #6b5a44; --bar: #1d1a17; }
@media (prefers-color-scheme: dark) { :host { --light: var(--rz-light, #c8b99f); --dark: var(--rz-dark, #8c7558);
  --last: var(--rz-last, #dfb52c); --name: #40362a; } }
svg { display: block; width: 100%; height: 100%; }
svg.picture { overflow: hidden; }
.floor { clip-path: inset(0 round 10px); }
.floor rect { shape-rendering: crispEdges; }
.live { touch-action: none; }
.light { fill: var(--light); } .dark { fill: var(--dark); }
.falls .light, .falls .dark { fill: #35649f; } .hole { fill: #1f4272; }
.falls .last { fill: none; stroke: var(--last); stroke-width: 6; opacity: 1; }
.last { fill: var(--last); opacity: .42; }
.chosen { fill: var(--accent); opacity: .34; }
.mark { opacity: .45; }
.over { fill: none; stroke: #fff; stroke-opacity: .8; stroke-width: 6; }
.name { font: 600 17px system-ui, sans-serif; fill: var(--name); opacity: .85; }
.falls .name { fill: #d6e4f7; } .falls .name:not(.file) { display: none; }
.man { pointer-events: none; }
.man * { stroke-width: 3; stroke-linejoin: round; stroke-linecap: round; }
.seat0 * { fill: #fdfaf3; stroke: #2b2622; }
.seat1 * { fill: #3a3430; stroke: #12100e; }
.nobody * { fill: #9aa0a6; stroke: #55595e; }
.man .cut { fill: none; }
.seat1 .cut { stroke: #cfc5b6; }
.seat0 .dot { fill: #2b2622; stroke: none; } .seat1 .dot { fill: #cfc5b6; stroke: none; }
.man .ball, .flight { fill: #e8662a; stroke: #7a2f10; }
.man .seam { fill: none; stroke: #7a2f10; stroke-width: 2.4; }
.man .bar { fill: none; stroke: #b3261e; stroke-width: 6; }
.man text { font: bold 44px system-ui, sans-serif; text-anchor: middle; stroke: none; }
.seat0 text { fill: #2b2622; } .seat1 text { fill: #fdfaf3; }
.falls .seat0 * { fill: #ffd34d; stroke: #c8961c; } .falls .seat1 * { fill: #e5533d; stroke: #9c2c1b; }
.falls .man .cut { fill: none; }
.held { filter: drop-shadow(0 5px 5px rgb(0 0 0 / .4)); }
.ghost { opacity: .5; }
.note { pointer-events: none; }
.note .back { fill: var(--bar); opacity: .62; }
:host([still]) .number { display: none; }
.note .number { font: 700 22px system-ui, sans-serif; text-anchor: end; fill: #fff; stroke: #1d1a17; stroke-width: 5;
  paint-order: stroke; stroke-linejoin: round; font-variant-numeric: tabular-nums; }
.note .badge { fill: #fffdf8; stroke: #7a7167; }
.note .words { font: 600 18px system-ui, sans-serif; text-anchor: middle; fill: #2b2622; }
.target { pointer-events: none; stroke: #fff; stroke-opacity: .55; stroke-width: 2.5; }
.target.ring { fill: none; stroke-opacity: .9; }
.done { fill: none; stroke: #fff; stroke-width: 7; stroke-linecap: round; stroke-linejoin: round; pointer-events: none; }
.arrow { pointer-events: none; stroke: #fff; stroke-opacity: .35; stroke-width: 2; stroke-linejoin: round; }
.float { font: 800 36px system-ui, sans-serif; text-anchor: middle; stroke: #fff; stroke-width: 7; paint-order: stroke;
  stroke-linejoin: round; pointer-events: none; }
.cell { outline: none; } .cell rect { fill: transparent; }
.starts { cursor: grab; } .aims { cursor: pointer; }
.cell .focus { stroke: none; fill: none; pointer-events: none; }
.cell:focus-visible .focus { stroke: var(--accent); stroke-width: 7; }
.cell:focus-visible .inner { stroke: #fff; stroke-width: 2.5; }
.picker { position: absolute; z-index: 3; display: flex; gap: 4px; padding: 5px; border-radius: 10px; background: #fffdf9;
  box-shadow: 0 6px 24px rgb(0 0 0 / .35), 0 0 0 1px rgb(0 0 0 / .12); transform: translate(-50%, 0); max-width: 100%; flex-wrap: wrap;
  justify-content: center; box-sizing: border-box; }
.picker.up { transform: translate(-50%, -100%); }
.picker button { all: unset; box-sizing: border-box; cursor: pointer; min-width: 44px; height: 44px; padding: 0 8px; border-radius: 7px;
  font: 600 15px system-ui, sans-serif; color: #2b2622; display: grid; place-items: center; }
.picker button.pictured { padding: 0; width: clamp(44px, 9cqw, 68px); height: clamp(44px, 9cqw, 68px); }
.picker button:hover { background: #ead9b4; }
.picker button:focus-visible { box-shadow: inset 0 0 0 3px var(--accent); }
`;
