#!/usr/bin/env bash
for ((i = 1; i <= 1000; i++)); do
	echo "line $i of the log"
done
