#!/usr/bin/env bash
# A tool that starts a child, which starts a grandchild in a session of its own.
# Their process ids go to a file in the project, for you to look them up.
set -eu
setsid sh -c 'echo $$ >>pids; exec sleep 300' &
sh -c 'echo $$ >>pids; exec sleep 300' &
echo $$ >>pids
wait
