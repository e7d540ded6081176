// The computation of /calc, on a thread of the pool.
self.onmessage = (event) => {
  let sum = 0;
  let sign = 1;
  for (let n = 1; n <= 5_000_000; ++n) {
    sum += (sign * Math.pow(event.data, n)) / n;
    sign = -sign;
  }
  self.postMessage(sum);
};
