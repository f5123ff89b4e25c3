# A program with a system prompt of its own that sends two requests to the model at $PORT, about what was $ASKED (JSON).
set -eu

until (exec 3<>"/dev/tcp/127.0.0.1/$PORT") 2>/dev/null; do sleep 0.1; done

ask() {
  local body="{\"model\": \"inspect\", \"messages\": [$1]}"
  exec 3<>"/dev/tcp/127.0.0.1/$PORT"
  printf 'POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' >&3
  printf 'Content-Length: %d\r\nConnection: close\r\n\r\n%s' "${#body}" "$body" >&3
  cat <&3 | tee reply.txt
  exec 3>&-
  grep -q '200 OK' reply.txt
}

begin='{"role": "system", "content": "You have a list of your own."}, {"role": "user", "content": '"$ASKED"'}'
ask "$begin"
ask "$begin"', {"role": "assistant", "content": "blue"}, {"role": "user", "content": "Go on."}'
