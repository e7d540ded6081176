// The page of the chat.
#pragma once

#include <string_view>

inline constexpr std::string_view chat_page = R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tern chat</title>
<link rel="icon" href="data:,">
<style>
  :root { --ink: #1d2733; --soft: #66758a; --line: #e2e8f0; --paper: #f6f8fb; --card: #fff; --accent: #0b7285;
          --mine: #d8f1f4; color-scheme: light dark; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #e6edf5; --soft: #93a3b8; --line: #2b3644; --paper: #12181f; --card: #1a222c; --accent: #3bc0d3;
            --mine: #123d46; }
  }
  * { box-sizing: border-box; }
  body { margin: 0; height: 100vh; height: 100dvh; display: grid; grid: auto 1fr / 1fr 14rem; background: var(--paper);
         color: var(--ink); font: 16px/1.45 system-ui, sans-serif; }
  header { grid-column: 1 / -1; display: flex; gap: .75rem; align-items: center; padding: .7rem 1.2rem;
           background: var(--card); border-bottom: 1px solid var(--line); }
  header h1 { font-size: 1.05rem; margin: 0; letter-spacing: .02em; }
  header .state { margin-left: auto; color: var(--soft); font-size: .85rem; }
  header .state::before { content: ""; display: inline-block; width: .6em; height: .6em; margin-right: .45em;
                          border-radius: 50%; background: #d9480f; }
  header .state.on::before { background: #2f9e44; }
  main { display: grid; grid-template-rows: 1fr auto; min-height: 0; }
  ol { list-style: none; margin: 0; padding: 1.2rem; overflow-y: auto; display: flex; flex-direction: column; gap: .5rem; }
  li { max-width: 34rem; padding: .5rem .8rem; border-radius: .9rem .9rem .9rem .2rem; background: var(--card);
       border: 1px solid var(--line); align-self: flex-start; overflow-wrap: anywhere; white-space: pre-wrap; }
  li b { display: block; font-size: .8rem; color: var(--accent); }
  li.mine { align-self: flex-end; background: var(--mine); border-radius: .9rem .9rem .2rem .9rem; }
  li.note { align-self: center; background: none; border: 0; color: var(--soft); font-size: .85rem; padding: 0; }
  aside { border-left: 1px solid var(--line); background: var(--card); padding: 1.2rem; overflow-y: auto; }
  aside h2 { font-size: .8rem; text-transform: uppercase; letter-spacing: .08em; color: var(--soft); margin: 0 0 .6rem; }
  aside div::before { content: "●"; color: #2f9e44; font-size: .7em; margin-right: .5em; vertical-align: .1em; }
  form { display: flex; gap: .6rem; padding: .9rem 1.2rem; background: var(--card); border-top: 1px solid var(--line); }
  input { flex: 1; min-width: 0; padding: .6rem .8rem; font: inherit; color: inherit; background: var(--paper);
          border: 1px solid var(--line); border-radius: .6rem; }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
  button { padding: .6rem 1.1rem; font: inherit; color: #fff; background: #0b7285; border: 0; border-radius: .6rem; }
  dialog { border: 1px solid var(--line); border-radius: 1rem; padding: 1.6rem; background: var(--card); color: inherit; }
  dialog h2 { margin: 0 0 .4rem; }
  dialog form { flex-direction: column; padding: 0; border: 0; width: 18rem; }
  @media (max-width: 40rem) { body { grid-template-columns: 1fr; } aside { display: none; } }
</style>
<header><h1>Tern chat</h1><span id="room"></span><span class="state" id="state">not connected</span></header>
<main>
  <ol id="lines" aria-live="polite"></ol>
  <form id="say"><input id="text" placeholder="Say something" autocomplete="off" maxlength="500"><button>Send</button></form>
</main>
<aside><h2>Here now</h2><section id="members"></section></aside>
<dialog id="door"><form method="dialog" id="enter">
  <h2>Who are you?</h2>
  <input id="name" placeholder="Your name" required maxlength="20">
  <input id="where" placeholder="Room" value="lobby" required maxlength="40">
  <button>Enter</button>
</form></dialog>
<script>
  const at = id => document.getElementById(id);
  let me, socket, wait = 500;
  let present = new Map();  // server -> its newest line with members

  // After the last line of the same server with a lower number; ignored if it is shown already.
  function show(line, text, kind, name) {
    const all = [...at("lines").children].reverse();
    const mine = all.filter(item => item.server === line.server);
    if (mine.some(item => item.number === line.number)) return;
    const item = Object.assign(document.createElement("li"), {className: kind, server: line.server, number: line.number});
    if (name) item.append(Object.assign(document.createElement("b"), {textContent: name}));
    item.append(text);
    const list = at("lines");
    const at_end = list.scrollHeight - list.scrollTop - list.clientHeight < 50;  // not while scrolled back
    list.insertBefore(item, mine.findLast(other => other.number > line.number) ?? null);
    if (at_end || kind === "mine") list.scrollTop = list.scrollHeight;
  }
  function members(line) {
    if (present.get(line.server)?.number > line.number) return;
    present.set(line.server, line);
    const names = [...present.values()].flatMap(one => one.members);
    at("members").replaceChildren(...names.map(name => Object.assign(document.createElement("div"), {textContent: name})));
  }
  function connect(room) {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}/rooms/${encodeURIComponent(room)}?name=${encodeURIComponent(me)}`);
    socket.onopen = () => {
      wait = 500;
      at("lines").replaceChildren();
      present = new Map();
      at("state").className = "state on";
      at("state").textContent = "connected as " + me;
    };
    socket.onmessage = event => {
      const line = JSON.parse(event.data);
      const own = line.name === me;
      if (line.kind === "Message") return show(line, line.text, own ? "mine" : "", own ? "" : line.name);
      show(line, `${line.name} ${line.kind === "Joined" ? "came in" : "left"}`, "note");
      members(line);
    };
    socket.onclose = () => {
      at("state").className = "state";
      at("state").textContent = "not connected, trying again";
      at("members").replaceChildren();
      setTimeout(() => connect(room), wait = Math.min(wait * 2, 10000));
    };
  }
  at("enter").onsubmit = () => {
    me = at("name").value.trim() || "anonymous";
    at("room").textContent = "# " + at("where").value;
    connect(at("where").value);
    at("text").focus();
  };
  at("say").onsubmit = event => {
    event.preventDefault();
    if (at("text").value && socket?.readyState === 1) socket.send(JSON.stringify({text: at("text").value}));
    at("text").value = "";
  };
  at("door").onclose = () => me ?? at("door").showModal();  // by Escape: the page is empty without a name
  at("door").showModal();
</script>
</html>
)";
