// WebSockets by ws, as ../README.md asks for. Arguments: port, threads (it has one).
"use strict";
const { WebSocket, WebSocketServer } = require("ws");

const port = Number(process.argv[2]);
const server = new WebSocketServer({ host: "127.0.0.1", port, backlog: 16384, perMessageDeflate: false });
const listeners = new Set();

function publish(from, data) {
  for (const listener of listeners) {
    if (listener !== from && listener.readyState === WebSocket.OPEN) listener.send(data, { binary: false });
  }
}

server.on("connection", (socket, request) => {
  socket.on("error", () => socket.terminate());
  if (request.url === "/ws/echo") {
    socket.on("message", (data, binary) => socket.send(data, { binary }));
    return;
  }
  listeners.add(socket);
  socket.on("message", (data) => publish(socket, data));
  socket.on("close", () => listeners.delete(socket));
});
process.on("SIGTERM", () => process.exit(0));
