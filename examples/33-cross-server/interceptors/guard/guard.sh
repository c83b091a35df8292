#!/usr/bin/env bash
# Remembers which tool a secret was read by, in each session, and refuses to send it to another server. The server of a
# tool is the beginning of its name: mail_read belongs to mail.
exec jq -n -c --unbuffered '
  foreach inputs as $q ({seen: {}};
    ($q.context.sessionId // "") as $session
    | ($q.context.subject // $q.payload.name // "" | split("_")[0]) as $server
    | [$q.payload | tostring | scan("SECRET-[0-9]+")] as $found
    | if $q.phase == "response" then
        reduce $found[] as $secret (.; .seen[$session][$secret] //= $server) | .out = {valid: true}
      else
        [.seen[$session][$found[]]? // empty | select(. != $server)] as $others
        | .out = if $others == [] then {valid: true}
          else {valid: false, messages: [{message: "a secret of \($others[0]) must not be sent to \($server)"}]} end
      end;
    .out)'
