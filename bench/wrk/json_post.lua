-- POST of an object with a value that differs from request to request.
require "report"

function init(arguments)
  math.randomseed(os.time())
end

function request()
  local body = string.format('{"name":"pen","value":%d}', math.random(0, 1000000000))
  return wrk.format("POST", nil, {["Content-Type"] = "application/json"}, body)
end
