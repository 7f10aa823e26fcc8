// A game with a person: the board, the moves without squares, and the controls.

function renderPlay(model, root) {
  const send = orders(model);
  const game = model.get("game");
  const { seats } = game;
  const board = document.createElement("rz-board");
  board.setAttribute("aria-label", game.title);
  board.game = game;
  board.flipped = model.get("flipped");
  board.addEventListener("rz-move", (event) => send({ do: "move", action: event.detail.action }));

  const status = el("div.rzn-status", { role: "status", "aria-live": "polite" });
  const buttons = el("div.rzn-keys");
  const halves = el("div.rzn-keys");
  const input = el("input", { type: "text", placeholder: "move as text", "aria-label": "Move as text", autocomplete: "off", spellcheck: "false" });
  const form = el("form.rzn-form", { onsubmit: (event) => {
    event.preventDefault();
    if (input.value.trim()) send({ do: "text", text: input.value });
  } }, input, el("button", { type: "submit" }, "Play"));
  const value = el("div.rzn-value");
  const hint = el("div");
  const message = el("div.rzn-message", { role: "alert" });
  const { box, body } = moveTable(seats);
  const info = infoBox();

  const flip = () => { model.set("flipped", !model.get("flipped")); model.save_changes(); };
  const undo = key("Undo", "Take back your last move (U)", () => send({ do: "undo", unit: "ply" }));
  const turn = key("Undo turn", "Take back your whole turn", () => send({ do: "undo", unit: "turn" }));
  const ask = key("Hint", "Search your position (H)", () => send({ do: "hint" }));
  const go = key("Move now", "End the opponent's search", () => send({ do: "go" }));
  const resign = key("Resign", "Give up this game", () => sure(resign, "Resign?", () => send({ do: "resign" })));
  const fresh = key("New game", "Begin another game", () => {
    if (model.get("position").over || !model.get("shown").plies.length) send({ do: "new" });
    else sure(fresh, "Leave this game?", () => send({ do: "new" }));
  });
  const swap = key("Change sides", "Begin another game in the other seat", () => {
    if (model.get("position").over || !model.get("shown").plies.length) send({ do: "swap" });
    else sure(swap, "Leave this game?", () => send({ do: "swap" }));
  });
  const turned = key("Flip", "Turn the board (F)", flip);
  turned.hidden = !canFlip(board);
  const tools = el("div.rzn-keys", { role: "toolbar", "aria-label": "Game" }, undo, turn, ask, go, turned, resign, fresh, swap);

  /** A button that asks once more before it acts. */
  function sure(button, question, act) {
    if (button.dataset.name) {
      reset(button);
      return act();
    }
    button.dataset.name = button.textContent;
    button.textContent = question;
    button.classList.add("rzn-sure");
    button.timer = setTimeout(() => reset(button), 4000);
  }

  function reset(button) {
    clearTimeout(button.timer);
    button.textContent = button.dataset.name ?? button.textContent;
    delete button.dataset.name;
    button.classList.remove("rzn-sure");
  }

  /** A move without squares by its kind, such as Royal Decree, if no other one has it. */
  function named({ say, kind }) {
    const same = model.get("position").moves.filter((each) => !each.touches.length && each.kind === kind);
    return kind !== "moves" && same.length === 1 ? kind : say === "end" ? "End turn" : say;
  }

  const move = (each) => el("button", { type: "button", class: "rzn-special", title: each.say, onclick: () => send({ do: "move", action: each.action }) }, named(each));

  function drawPosition() {
    const position = model.get("position");
    board.interactive = position.moves.length > 0;
    board.position = position;
    buttons.replaceChildren(...position.moves.filter(({ touches }) => !touches.length).map(move));
    halves.replaceChildren();
    form.hidden = !position.moves.length;
    info.show(position);
    drawStatus();
  }

  // Half a move may be a whole one, too.
  board.addEventListener("rz-partial", ({ detail }) => {
    const isOpen = detail.candidates.length > detail.done.length;
    halves.replaceChildren(...(isOpen ? detail.done.map(move) : []));
  });

  function drawStatus() {
    const [position, shown] = [model.get("position"), model.get("shown")];
    const last = shown.plies.at(-1)?.ply;
    const who = position.over || !shown.people.includes(position.mover) ? "" : shown.people.length === 1 ? " (you)" : "";
    status.replaceChildren(el("strong", capital(position.caption) + who), shown.is_thinking ? el("span.rzn-busy", "thinking") : "",
      last ? el("div.rzn-small.rzn-dim", `Last: ${seats[last.mover] ?? "die"} ${shown.last}`) : "");
  }

  let said = model.get("shown").message?.number;
  function drawAround() {
    const shown = model.get("shown");
    const thought = shown.plies.findLast(({ value }) => value !== null);
    value.replaceChildren(...(thought ? valueBar(thought, seats) : [el("div.rzn-small.rzn-dim", "The value appears after the opponent's first search.")]));
    hint.replaceChildren(...(shown.hint ? [el("div.rzn-head", "Hint"), shareBars(shown.hint.moves, board, (each) => arrowsOf(each.touches), arrowsOf(shown.hint.moves[0].touches)),
      shown.hint.wdl ? el("div.rzn-small.rzn-dim", `value ${signed(shown.hint.value)} for ${seats[0]}, ${shown.hint.sims} simulations`) : ""] : []));
    board.arrows = shown.hint ? arrowsOf(shown.hint.moves[0].touches) : [];
    body.replaceChildren(...moveRows(shown.plies.map(({ ply }) => ply), (ply, at) => {
      const { value: found } = shown.plies[at];
      return el(`span.rzn-ply${ply.opening ? ".rzn-dim" : ""}`, { title: ply.opening ? "opening: not chosen in this game" : null }, words(ply),
        found === null ? "" : el("small", { title: `the program's value for ${seats[0]}` }, signed(found)));
    }));
    box.scrollTop = box.scrollHeight;
    undo.disabled = !shown.can_undo;
    turn.hidden = !shown.can_undo_turn;
    const isAsked = model.get("position").moves.length > 0;
    ask.disabled = !isAsked || shown.is_hinting;
    ask.textContent = shown.is_hinting ? "Searching" : "Hint";
    resign.disabled = !isAsked;
    go.hidden = !shown.is_thinking;
    swap.hidden = shown.people.length !== 1;
    message.textContent = shown.message.words;
    message.classList.toggle("rzn-error", shown.message.is_error);
    if (shown.message.number !== said) {
      said = shown.message.number;
      if (shown.message.is_error) { // the board waits for an answer: here it is
        if (board.position) board.position = model.get("position");
      } else input.value = "";
    }
    names.replaceChildren(...seats.map((name, seat) => el("div", el(`i.rzn-seat.rzn-seat${seat}`), el("strong", name), " ",
      el("span.rzn-dim", shown.people.includes(seat) ? "you" : shown.players[seat]))));
    drawStatus();
  }

  const names = el("div.rzn-names.rzn-small");
  root.append(el("div.rzn-stage", board), el("div.rzn-side", names, status, message, buttons, halves, form, value, hint, box, tools, info.box));
  root.style.setProperty("--ratio", String(game.columns / game.rows));
  root.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.target === input || event.ctrlKey || event.metaKey || event.altKey) return;
    const way = { u: () => undo.disabled || undo.click(), h: () => ask.disabled || ask.click(), f: flip }[event.key];
    if (!way) return;
    event.preventDefault();
    way();
  });
  let ply = model.get("position").ply;
  const moved = () => {
    if (model.get("position").ply !== ply) input.value = "";
    ply = model.get("position").ply;
    drawPosition();
  };
  drawPosition();
  drawAround();
  return [
    listen(model, "position", moved), listen(model, "shown", drawAround),
    listen(model, "flipped", () => { board.flipped = model.get("flipped"); }),
  ];
}
