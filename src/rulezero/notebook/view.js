// A recorded game: filters, the board at each ply, and what players and judges thought.

const FAULTS = { "?!": "inaccuracy", "?": "mistake", "??": "blunder" };

function renderView(model, root) {
  const send = orders(model);
  const state = { mind: 0 };
  const go = (at) => {
    const last = model.get("shown").positions.length - 1;
    model.set("at", Math.max(0, Math.min(last, at)));
    model.save_changes();
    draw();
  };
  const step = (by) => go(model.get("at") + by);
  const last = () => model.get("shown").positions.length - 1;

  const filters = { result: null, cause: null, purpose: null };
  const select = (name, label, onchange) => el("select", { "aria-label": label, title: label, onchange }, []);
  const filter = () => send({ do: "filter", ...Object.fromEntries(Object.entries(filters).map(([name, { value }]) => [name, value])) });
  for (const name of Object.keys(filters)) filters[name] = select(name, capital(name === "cause" ? "how the game ended" : name), filter);
  const games = select("game", "Game", () => send({ do: "open", id: games.value }));
  const found = el("span.rzn-small.rzn-dim");
  const message = el("div.rzn-message", { role: "alert" });

  const board = document.createElement("rz-board");
  board.flipped = model.get("flipped");
  const curve = document.createElement("rz-curve");
  curve.addEventListener("rz-ply", (event) => go(event.detail.ply));
  const slider = el("input", { type: "range", min: 0, "aria-label": "Position", oninput: () => go(Number(slider.value)) });
  const count = el("output.rzn-small");
  const flip = () => { model.set("flipped", !model.get("flipped")); model.save_changes(); };
  const turned = key("Flip", "Turn the board (F)", flip);
  const tools = el("div.rzn-keys", { role: "toolbar", "aria-label": "Move through the game" },
    key("Start", "To the start (Home)", () => go(0)), key("Back", "Back (←)", () => step(-1)), key("Forward", "Forward (→)", () => step(1)), key("End", "To the end (End)", () => go(last())), turned);
  const status = el("div.rzn-status", { role: "status" });
  const thought = el("div");
  const minds = el("select", { "aria-label": "Whose thoughts", onchange: () => { state.mind = minds.selectedIndex; drawCurve(); draw(); } });
  const curveBox = el("div.rzn-curve", curve);
  const facts = el("dl.rzn-facts");
  const info = infoBox();
  const moves = el("div");
  let body = el("tbody");

  const names = el("div.rzn-names.rzn-small");
  root.append(
    el("div.rzn-top", filters.result, filters.cause, filters.purpose, games, found), message,
    el("div.rzn-stage", board, el("div.rzn-slide", slider, count), tools),
    el("div.rzn-side", names, status, el("div.rzn-head", "Thoughts ", minds), thought, curveBox, moves, info.box, el("details", el("summary", "About this game"), facts)),
  );

  function drawList() {
    const { results, causes, purposes, options, total, matching, wanted, words } = model.get("listed");
    const fillIn = (element, choices, chosen) => {
      element.replaceChildren(...choices.map(([value, name]) => el("option", { value, selected: value === chosen }, name)));
    };
    fillIn(filters.result, results, wanted.result);
    fillIn(filters.cause, causes, wanted.cause);
    fillIn(filters.purpose, purposes, wanted.purpose);
    fillIn(games, options, model.get("shown").id);
    found.textContent = options.length < matching ? `${matching} of ${total} games, the newest ${options.length} are listed` : matching < total ? `${matching} of ${total} games` : `${total} games`;
    message.textContent = words;
    message.classList.toggle("rzn-error", Boolean(words));
  }

  function drawGame() {
    const shown = model.get("shown"), { seats } = shown.game;
    games.value = shown.id;
    board.game = shown.game;
    board.flipped = model.get("flipped");
    board.setAttribute("aria-label", shown.game.title);
    turned.hidden = !canFlip(board);
    root.style.setProperty("--ratio", String(shown.game.columns / shown.game.rows));
    slider.max = String(last());
    if (state.mind >= shown.minds.length || !shown.minds[state.mind].plies.some(Boolean)) {
      state.mind = Math.max(0, shown.minds.findIndex(({ plies }) => plies.some(Boolean)));
    }
    minds.replaceChildren(...shown.minds.map(({ name }, at) => el("option", { selected: at === state.mind }, name ? `judge ${name}` : "of the players")));
    names.replaceChildren(...seats.map((name, seat) => el("div", el(`i.rzn-seat.rzn-seat${seat}`), el("strong", name), " ", el("span.rzn-dim", shown.players[seat]))));
    facts.replaceChildren(...shown.facts.flatMap(([label, said]) => [el("dt", label), el("dd", said)]));
    curve.seats = seats;
    drawCurve();
  }

  function drawCurve() {
    const shown = model.get("shown"), mind = shown.minds[state.mind];
    const points = mind.plies.map((each, ply) => ({ ply, value: each?.value, wdl: each?.wdl ?? undefined, mark: each?.mark || undefined }));
    const has = points.some(({ value }) => typeof value === "number");
    if (has && shown.outcome !== null) points.push({ ply: last(), value: shown.outcome, wdl: [1, 0, -1].map((result) => Number(Math.sign(shown.outcome) === result)) });
    curveBox.hidden = !has;
    curve.points = points;
    const table = moveTable(shown.game.seats);
    body = table.body;
    body.append(...moveRows(shown.plies, (ply, at) => {
      const { mark } = mind.plies[at] ?? {};
      return el(`button.rzn-ply${ply.opening ? ".rzn-dim" : ""}`, { type: "button", "data-ply": at + 1, title: ply.opening ? "opening: not chosen by the player" : null, onclick: () => go(at + 1) },
        words(ply), mark ? el("b.rzn-mark", { "data-mark": mark, title: FAULTS[mark] }, mark) : "");
    }));
    moves.replaceChildren(table.box);
  }

  function draw() {
    const shown = model.get("shown"), at = Math.min(model.get("at"), last()), { seats } = shown.game;
    const position = shown.positions[at], next = shown.plies[at], came = shown.plies[at - 1];
    board.position = position;
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", `ply ${at} of ${last()}: ${position.caption}`);
    count.textContent = `${at} of ${last()}`;
    info.show(position);
    curve.at = at;
    status.replaceChildren(el("strong", capital(position.caption)),
      came ? el("span.rzn-dim", came.mover === -1 ? ` after the die showed ${came.say}` : ` after ${seats[came.mover]}'s ${came.say}`) : "",
      el("div.rzn-small.rzn-dim", `Result: ${shown.result}`));
    drawThought(next, shown.minds[state.mind].plies[at], seats);
    body.querySelector(".rzn-at")?.classList.remove("rzn-at");
    const here = body.querySelector(`[data-ply="${at}"]`);
    here?.classList.add("rzn-at");
    const box = moves.firstChild;
    if (box) box.scrollTop = here ? box.scrollTop + here.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 2 : 0;
  }

  function drawThought(ply, found, seats) {
    board.arrows = [];
    if (!found) {
      const why = !ply ? "The game ends here." : ply.mover === -1 ? "A die rolls here." : ply.opening ? "This ply belongs to the opening: the player did not choose it." : "There are no thoughts about this position.";
      return thought.replaceChildren(el("div.rzn-small.rzn-dim", why));
    }
    const parts = [];
    if (found.wdl) parts.push(...valueBar(found, seats));
    if (found.raw !== null) parts.push(el("div.rzn-small.rzn-dim", `before the search (net or heuristic): ${signed(found.raw)}`));
    if (found.moves.length) parts.push(shareBars(found.moves, board, ({ squares }) => (squares.length === 1 ? [[squares[0], squares[0], 1]] : squares.slice(1).map((to, at) => [squares[at], to, 1]))));
    if (found.mark || found.best) {
      const lost = found.lost === null ? "" : ` ${percent(found.lost)} of winning chance lost`;
      const better = found.best ? ` the judge prefers ${found.best}` : "";
      parts.push(el("div.rzn-small", found.mark ? el("b.rzn-mark", { "data-mark": found.mark }, `${found.mark} ${FAULTS[found.mark]}:`) : "", [lost, better].filter(Boolean).join(",")));
    }
    thought.replaceChildren(...parts);
  }

  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(select|input)$/i.test(event.target.localName)) return;
    const way = { ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => go(0), End: () => go(last()), f: flip }[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    way();
  }, { capture: true });
  root.addEventListener("keydown", (event) => event.stopPropagation());
  drawList();
  drawGame();
  draw();
  return [
    listen(model, "listed", drawList), listen(model, "shown", () => { drawGame(); draw(); }), listen(model, "at", draw),
    listen(model, "flipped", () => { board.flipped = model.get("flipped"); }),
  ];
}
