#!/usr/bin/env bash
# A tool that leaves a process behind when it ends.
sleep 300 &
echo "$!" >>pids
echo "left"
