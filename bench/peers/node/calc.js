// The computation of /calc, on a thread of the pool.
"use strict";
const { parentPort } = require("node:worker_threads");

parentPort.on("message", (value) => {
  let sum = 0;
  let sign = 1;
  for (let n = 1; n <= 5_000_000; ++n) {
    sum += (sign * Math.pow(value, n)) / n;
    sign = -sign;
  }
  parentPort.postMessage(sum);
});
