-- POST of 10 MB with a field of 64 KB.
require "report"
wrk.method = "POST"
wrk.headers["X-Large"] = string.rep("a", 65536)
wrk.headers["Content-Type"] = "application/octet-stream"
wrk.body = string.rep("x", 10000000)
