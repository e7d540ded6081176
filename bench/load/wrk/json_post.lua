-- POST of an object with a value that differs from request to request, in length alike, since the
-- floor servers take it so.
require "report"

function init(arguments)
  math.randomseed(os.time())
end

function request()
  local body = string.format('{"name":"pen","value":%d}', math.random(100000000, 999999999))
  return wrk.format("POST", nil, {["Content-Type"] = "application/json"}, body)
end
